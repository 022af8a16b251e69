package io.shardsim.reports;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known about one point of a scenario before it runs: the question that an observation answers.
 *
 * @param scenario the scenario's name
 * @param point values that the sweep gives this point, by path and in the file's order; empty without a sweep. Values are strings, numbers,
 *     booleans, lists and maps
 * @param cluster where it runs
 * @param strategy how states are sharded; absent for a bare collective
 * @param training what is trained; absent for a bare collective
 * @param memory what the memory ledger says; absent for a bare collective
 * @param collective the bare collective; absent for training
 * @param notes what a reader should know, for example a capped shard group
 * @param warnings what a reader must know before trusting the figures
 * @param sources where the constants come from
 * @param surroundings what goes on around the step; absent where the scenario says nothing of it
 * @param trials what runs with other settings came to; empty where none were tried
 * @param accuracy how far off published runs like this one were; absent where none is like it
 */
public record RunFacts(
        String scenario,
        Map<String, ?> point,
        Cluster cluster,
        @Nullable Strategy strategy,
        @Nullable Training training,
        @Nullable Memory memory,
        @Nullable Collective collective,
        List<String> notes,
        List<String> warnings,
        List<Source> sources,
        @Nullable Surroundings surroundings,
        List<Trial> trials,
        @Nullable ErrorInterval accuracy) {

    public RunFacts {
        if ((training == null) == (collective == null)) {
            throw new IllegalArgumentException(scenario + ": a run is either training or a bare collective");
        }
        if (training != null && (strategy == null || memory == null)) {
            throw new IllegalArgumentException(scenario + ": a training run has a strategy and a memory ledger");
        }
        point = Collections.unmodifiableMap(new LinkedHashMap<>(point));
        notes = List.copyOf(notes);
        warnings = List.copyOf(warnings);
        sources = List.copyOf(sources);
        trials = List.copyOf(trials);
    }

    /** Facts of a training run. */
    public static RunFacts ofTraining(
            String scenario,
            Map<String, ?> point,
            Cluster cluster,
            Strategy strategy,
            Training training,
            Memory memory,
            List<String> notes,
            List<String> warnings,
            List<Source> sources) {
        return new RunFacts(
                scenario, point, cluster, strategy, training, memory, null, notes, warnings, sources, null, List.of(),
                null);
    }

    /** Facts of a bare collective. */
    public static RunFacts ofCollective(
            String scenario,
            Map<String, ?> point,
            Cluster cluster,
            Collective collective,
            List<String> notes,
            List<String> warnings,
            List<Source> sources) {
        return new RunFacts(
                scenario,
                point,
                cluster,
                null,
                null,
                null,
                collective,
                notes,
                warnings,
                sources,
                null,
                List.of(),
                null);
    }

    /** The same with what published runs say about it. */
    public RunFacts withAccuracy(@Nullable ErrorInterval interval, List<String> moreNotes, List<String> moreWarnings) {
        List<String> allNotes = new ArrayList<>(notes);
        allNotes.addAll(moreNotes);
        List<String> allWarnings = new ArrayList<>(warnings);
        allWarnings.addAll(moreWarnings);
        return new RunFacts(
                scenario,
                point,
                cluster,
                strategy,
                training,
                memory,
                collective,
                allNotes,
                allWarnings,
                sources,
                surroundings,
                trials,
                interval);
    }

    /** The same with what goes on around the step. */
    public RunFacts withSurroundings(@Nullable Surroundings around) {
        return with(around, trials);
    }

    /** The same with what runs with other settings came to. */
    RunFacts withTrials(List<Trial> tried) {
        return with(surroundings, tried);
    }

    private RunFacts with(@Nullable Surroundings around, List<Trial> tried) {
        return new RunFacts(
                scenario,
                point,
                cluster,
                strategy,
                training,
                memory,
                collective,
                notes,
                warnings,
                sources,
                around,
                tried,
                accuracy);
    }

    /** Notes without what published runs say, which every series is told once. */
    public List<String> notesBesidesAccuracy() {
        return notes.stream()
                .filter(text -> accuracy == null || !text.equals(accuracy.sentence()))
                .toList();
    }

    /** The strategy of a training run; an error for a bare collective. */
    public Strategy sharding() {
        return Objects.requireNonNull(strategy, "a bare collective has no strategy");
    }

    /** What a training run trains; an error for a bare collective. */
    public Training model() {
        return Objects.requireNonNull(training, "a bare collective trains nothing");
    }

    /** The memory ledger of a training run; an error for a bare collective. */
    public Memory ledger() {
        return Objects.requireNonNull(memory, "a bare collective has no memory ledger");
    }

    public int gpus() {
        return cluster.worldSize();
    }

    public int nodes() {
        return cluster.nodes();
    }

    /**
     * A sharding strategy.
     *
     * @param kind as scenario files write it, for example {@code mics}
     * @param name as people write it, for example {@code MiCS}
     * @param shardGroup ranks that together hold one copy of the sharded states, after capping; 1 when nothing is sharded
     * @param split how the model is split beside data parallelism
     * @param kernels profile of the kernels that run; empty where it does not matter
     */
    public record Strategy(String kind, String name, int shardGroup, Split split, String kernels) {
        /** Data parallelism alone. */
        public Strategy(String kind, String name, int shardGroup) {
            this(kind, name, shardGroup, Split.NONE, "");
        }

        /** Name, how the model is split, and the shard group where that is a choice. */
        public String label(int gpus) {
            return name + split.words() + (choosesGroup(gpus) ? ", shard group " + shardGroup : "");
        }

        /** The same in short, for tables: the name up to what explains it, behind a comma or in parentheses. */
        public String shortLabel(int gpus) {
            return shortName() + split.words() + (choosesGroup(gpus) ? " (shard group " + shardGroup + ")" : "");
        }

        private boolean choosesGroup(int gpus) {
            return shardGroup > 1 && shardGroup < gpus / split.ranks();
        }

        public String shortName() {
            String[] parts = name.split(",| \\(", 2);
            return parts[0].isBlank() ? name : parts[0].strip();
        }
    }

    /**
     * How a model is split among ranks beside data parallelism.
     *
     * @param tensor ranks that split each layer, 1 for none
     * @param sequence whether they split norms and dropouts along the sequence
     * @param context ranks that split the tokens of each sample, 1 for none
     * @param stages pipeline stages, 1 for none
     * @param interleaved whether a stage holds several pieces of the model, which take turns
     */
    public record Split(int tensor, boolean sequence, int context, int stages, boolean interleaved) {
        public static final Split NONE = new Split(1, false, 1, 1, false);

        /** Ranks that hold one copy of the model. */
        public int ranks() {
            return tensor * stages;
        }

        /** For example {@code , tensor parallel 8}, to follow a name. */
        private String words() {
            return (tensor > 1 ? ", tensor parallel " + tensor : "")
                    + (sequence ? ", sequence parallel" : "")
                    + (context > 1 ? ", context parallel " + context : "")
                    + (stages > 1 ? ", pipeline parallel " + stages : "");
        }
    }

    /**
     * How much of forward is computed again in backward.
     *
     * @param products share of the operations of matrix products, 0 to 1
     * @param attention share of the operations of attention cores, 0 to 1
     */
    public record Recomputation(double products, double attention) {
        public static final Recomputation NONE = new Recomputation(0, 0);
        public static final Recomputation ALL = new Recomputation(1, 1);
    }

    /**
     * What is trained.
     *
     * @param model catalog name or {@code inline}
     * @param parameters parameters of the model, embeddings counted once
     * @param attentionFlopsPerToken attention scores and values, forward and backward, see
     *     {@link ModelFlopsUtilization#attentionFlopsPerToken} [flop]
     * @param sequenceLength tokens of a sample
     * @param globalBatch samples per training step
     * @param microBatch samples per GPU per forward-backward
     * @param accumulationSteps micro-batches per training step
     * @param peakFlopsPerSecond of one GPU in the precision that is trained in [flop/s]
     */
    public record Training(
            String model,
            long parameters,
            double attentionFlopsPerToken,
            int sequenceLength,
            long globalBatch,
            int microBatch,
            int accumulationSteps,
            Recomputation recomputation,
            double peakFlopsPerSecond) {
        public double tokensPerStep() {
            return (double) globalBatch * sequenceLength;
        }
    }

    /**
     * Memory of one GPU at the moment of its peak.
     *
     * @param bytesByOwner what each owner holds at the peak, on the pipeline stage that reserves most [bytes]
     * @param neededBytes most that is in use, on the pipeline stage that uses most [bytes]
     * @param capacityBytes what a framework can allocate [bytes]
     */
    public record Memory(Map<MemoryOwner, Long> bytesByOwner, long neededBytes, long capacityBytes) {
        public Memory {
            Map<MemoryOwner, Long> ordered = new EnumMap<>(MemoryOwner.class);
            ordered.putAll(bytesByOwner);
            bytesByOwner = Collections.unmodifiableMap(ordered);
        }

        /** Of a single stage, which needs all but its fragmentation. */
        public Memory(Map<MemoryOwner, Long> bytesByOwner, long capacityBytes) {
            this(
                    bytesByOwner,
                    sum(bytesByOwner) - bytesByOwner.getOrDefault(MemoryOwner.FRAGMENTATION, 0L),
                    capacityBytes);
        }

        public long peakBytes() {
            return sum(bytesByOwner);
        }

        private static long sum(Map<MemoryOwner, Long> bytesByOwner) {
            long sum = 0;
            for (long bytes : bytesByOwner.values()) {
                sum = Math.addExact(sum, bytes);
            }
            return sum;
        }

        /** Of the peak, what somebody uses. */
        public long usedBytes() {
            return peakBytes() - ofOwner(MemoryOwner.FRAGMENTATION);
        }

        /** How it fits. */
        public MemoryFit fit() {
            return new MemoryFit(neededBytes, peakBytes(), capacityBytes);
        }

        public long ofOwner(MemoryOwner owner) {
            Long bytes = bytesByOwner.get(owner);
            return bytes == null ? 0 : bytes;
        }
    }

    /**
     * A bare collective over all ranks.
     *
     * @param totalBytes whole buffer [bytes]
     * @param algorithm the algorithm that ran
     * @param library the library it is modelled on, for example {@code nccl}
     */
    public record Collective(CollectiveKind kind, long totalBytes, String algorithm, String library) {}

    /**
     * Where a figure comes from.
     *
     * @param what the figure
     * @param source document and place, as text
     * @param date ISO 8601, or empty when the source has none
     */
    public record Source(String what, String source, String date) {}
}
