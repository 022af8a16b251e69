package io.shardsim.reports;

import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.plan.HostMemory;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.StateHolders;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Facts about one point of a scenario before it runs.
 *
 * @param scenario the scenario's name
 * @param point the point's swept values, by path in file order; empty without a sweep. Values are strings, numbers, booleans, lists and maps
 * @param cluster the cluster it runs on
 * @param work the work it runs
 * @param remarks notes, warnings, sources and settings
 * @param surroundings input, checkpoints and startup; absent if the scenario does not describe them
 * @param tried results with other settings
 * @param accuracy expected error range; absent if nothing similar was published
 */
public record RunFacts(
        String scenario,
        Map<String, ?> point,
        Cluster cluster,
        Work work,
        Remarks remarks,
        @Nullable Surroundings surroundings,
        Tried tried,
        @Nullable ErrorInterval accuracy) {

    /** The work of a run: a training step, or a bare collective. */
    public sealed interface Work {}

    /**
     * A training step.
     *
     * @param strategy the sharding strategy
     * @param training the training
     * @param memory the memory ledger
     */
    public record Sharded(Strategy strategy, Training training, Memory memory) implements Work {}

    /**
     * Results of runs with other settings.
     *
     * @param trials settings that might make it faster; empty if none were tried
     * @param untried settings and alternatives too expensive to try, in words
     * @param assumptions open choices of the scenario; empty if not requested
     * @param radius cost of faults by rank; absent without faults
     * @param path critical path; absent if not requested
     * @param mean average step; absent without occasional link outages
     * @param causesPs cost of each difference from the fastest comparable run; empty if not simulated [ps]
     */
    public record Tried(
            List<Trial> trials,
            List<String> untried,
            List<Assumption> assumptions,
            @Nullable BlastRadius radius,
            @Nullable CriticalParts path,
            @Nullable MeanStep mean,
            Map<String, Long> causesPs) {
        /** No trials. */
        public static final Tried NOTHING = new Tried(List.of(), List.of(), List.of(), null, null, null, Map.of());

        public Tried(
                List<Trial> trials,
                List<String> untried,
                List<Assumption> assumptions,
                @Nullable BlastRadius radius,
                @Nullable CriticalParts path,
                @Nullable MeanStep mean,
                Map<String, Long> causesPs) {
            this.trials = List.copyOf(trials);
            this.untried = List.copyOf(untried);
            this.assumptions = List.copyOf(assumptions);
            this.radius = radius;
            this.path = path;
            this.mean = mean;
            this.causesPs = Collections.unmodifiableMap(new LinkedHashMap<>(causesPs));
        }

        /** Returns these with trials and assumptions. */
        public Tried with(List<Trial> others, List<String> left, List<Assumption> assumed) {
            return new Tried(others, left, assumed, radius, path, mean, causesPs);
        }

        Tried with(@Nullable BlastRadius otherRadius, @Nullable CriticalParts otherPath) {
            return new Tried(trials, untried, assumptions, otherRadius, otherPath, mean, causesPs);
        }

        /** Returns these with an average step. */
        public Tried with(MeanStep other) {
            return new Tried(trials, untried, assumptions, radius, path, other, causesPs);
        }

        Tried withCauses(Map<String, Long> others) {
            return new Tried(trials, untried, assumptions, radius, path, mean, others);
        }
    }

    /**
     * Remarks for the reader.
     *
     * @param notes notes, for example on a capped shard group
     * @param warnings caveats to read before trusting the figures
     * @param sources sources of the constants
     * @param settings the scenario as resolved for this run, in the order of a scenario file
     */
    public record Remarks(List<String> notes, List<Message> warnings, List<Source> sources, List<Setting> settings) {
        public Remarks {
            notes = List.copyOf(notes);
            warnings = List.copyOf(warnings);
            sources = List.copyOf(sources);
            settings = List.copyOf(settings);
        }

        /** Creates remarks without settings. */
        public Remarks(List<String> notes, List<Message> warnings, List<Source> sources) {
            this(notes, warnings, sources, List.of());
        }
    }

    public RunFacts(
            String scenario,
            Map<String, ?> point,
            Cluster cluster,
            Work work,
            Remarks remarks,
            @Nullable Surroundings surroundings,
            Tried tried,
            @Nullable ErrorInterval accuracy) {
        this.scenario = scenario;
        this.point = Collections.unmodifiableMap(new LinkedHashMap<>(point));
        this.cluster = cluster;
        this.work = work;
        this.remarks = remarks;
        this.surroundings = surroundings;
        this.tried = tried;
        this.accuracy = accuracy;
    }

    /** Creates facts without surroundings, trials and similar published runs. */
    public static RunFacts of(String scenario, Map<String, ?> point, Cluster cluster, Work work, Remarks remarks) {
        return new RunFacts(scenario, point, cluster, work, remarks, null, Tried.NOTHING, null);
    }

    /** Returns the expected error range, or why there is none; empty if nothing similar was published. */
    public String accuracyWords() {
        String beyond = messages().stream()
                .map(Message::code)
                .filter(MessageCode::isBeyondMeasurements)
                .map(MessageCode::id)
                .distinct()
                .collect(Collectors.joining(", "));
        return !beyond.isEmpty() ? "not validated here (" + beyond + ")" : accuracy == null ? "" : accuracy.brief();
    }

    /** Returns these with the accuracy from published runs, unless they do not cover the run. */
    public RunFacts withAccuracy(@Nullable ErrorInterval interval, List<String> moreNotes, List<Message> moreWarnings) {
        List<String> allNotes = new ArrayList<>(notes());
        allNotes.addAll(moreNotes);
        List<Message> allWarnings = new ArrayList<>(messages());
        allWarnings.addAll(moreWarnings);
        return new RunFacts(
                scenario,
                point,
                cluster,
                work,
                new Remarks(allNotes, allWarnings, sources(), settings()),
                surroundings,
                tried,
                allWarnings.stream().map(Message::code).anyMatch(MessageCode::isBeyondMeasurements) ? null : interval);
    }

    /** Returns these with surroundings. */
    public RunFacts withSurroundings(@Nullable Surroundings around) {
        return new RunFacts(scenario, point, cluster, work, remarks, around, tried, accuracy);
    }

    /** Returns these with results of other settings. */
    public RunFacts withTried(Tried other) {
        return new RunFacts(scenario, point, cluster, work, remarks, surroundings, other, accuracy);
    }

    public List<Trial> trials() {
        return tried.trials();
    }

    /** Returns the cost of faults by rank; null without faults. */
    public @Nullable BlastRadius radius() {
        return tried.radius();
    }

    /** Returns the critical path; null if not requested. */
    public @Nullable CriticalParts path() {
        return tried.path();
    }

    public List<Assumption> assumptions() {
        return tried.assumptions();
    }

    public List<String> notes() {
        return remarks.notes();
    }

    /** Returns the warnings in words. */
    public List<String> warnings() {
        return messages().stream().map(Message::text).toList();
    }

    /** Returns the warnings with their codes. */
    public List<Message> messages() {
        return remarks.warnings();
    }

    /** Returns the scenario as resolved for this run. */
    public List<Setting> settings() {
        return remarks.settings();
    }

    /** Returns keys of imported files that affect the answer but were left out; empty if the answer is complete. */
    public List<String> accepted() {
        Setting accepted = setting("accepted");
        return accepted == null
                ? List.of()
                : List.of(accepted.value().replaceAll("^\\[|]$", "").split(", "));
    }

    /** Returns the resolved setting of a dotted key; null if this run has no such key. */
    public @Nullable Setting setting(String path) {
        return settings().stream()
                .filter(setting -> setting.path().equals(path))
                .findFirst()
                .orElse(null);
    }

    public List<Source> sources() {
        return remarks.sources();
    }

    /** Returns the notes, followed by the expected error range. */
    public List<String> notesWithAccuracy() {
        List<String> all = new ArrayList<>(notes());
        if (accuracy != null) {
            all.add(accuracy.sentence());
        }
        return all;
    }

    /** Returns the sharding strategy; absent for a bare collective. */
    public @Nullable Strategy strategy() {
        return work instanceof Sharded sharded ? sharded.strategy() : null;
    }

    /** Returns the training; absent for a bare collective. */
    public @Nullable Training training() {
        return work instanceof Sharded sharded ? sharded.training() : null;
    }

    /** Returns the memory ledger; absent for a bare collective. */
    public @Nullable Memory memory() {
        return work instanceof Sharded sharded ? sharded.memory() : null;
    }

    /** Returns the bare collective; absent for training. */
    public @Nullable Collective collective() {
        return work instanceof Collective bare ? bare : null;
    }

    /** Returns the strategy of a training run; throws for a bare collective. */
    public Strategy sharding() {
        return sharded().strategy();
    }

    /** Returns the training of a training run; throws for a bare collective. */
    public Training model() {
        return sharded().training();
    }

    /** Returns the memory ledger of a training run; throws for a bare collective. */
    public Memory ledger() {
        return sharded().memory();
    }

    private Sharded sharded() {
        if (work instanceof Sharded sharded) {
            return sharded;
        }
        throw new IllegalStateException("a bare collective has no strategy, trains nothing and has no memory ledger");
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
     * @param kind the kind in scenario files, for example {@code mics}
     * @param name the display name, for example {@code MiCS}
     * @param shardGroup ranks that together hold one replica of the sharded states, after capping; 1 without sharding
     * @param holders ranks that hold one replica of all states
     * @param split model parallelism besides data parallelism
     * @param kernels profile of the kernels that run; empty if irrelevant
     */
    public record Strategy(
            String kind, String name, int shardGroup, StateHolders holders, Split split, String kernels) {
        /** Returns the name, the model parallelism, and the shard group if it is a choice. */
        public String label(int gpus) {
            return name + split.words() + (choosesGroup(gpus) ? ", shard group " + shardGroup : "");
        }

        /** Returns the label in short, for tables: without an explanation after a comma or in parentheses. */
        public String shortLabel(int gpus) {
            return shortName() + split.words() + (choosesGroup(gpus) ? " (shard group " + shardGroup + ")" : "");
        }

        boolean choosesGroup(int gpus) {
            return shardGroup > 1 && shardGroup < gpus / split.ranks();
        }

        public String shortName() {
            String[] parts = name.split(",| \\(", 2);
            return parts[0].isBlank() ? name : parts[0].strip();
        }
    }

    /**
     * Model parallelism besides data parallelism.
     *
     * @param tensor tensor-parallel size, 1 for none
     * @param sequence whether sequence parallelism splits norms and dropouts
     * @param context context-parallel size, 1 for none
     * @param experts expert-parallel size, 1 for none
     * @param expertTensor ranks that split each expert, 1 for none
     * @param stages pipeline stages, 1 for none
     * @param interleaved whether the schedule is interleaved, with several model chunks per stage
     */
    public record Split(
            int tensor, boolean sequence, int context, int experts, int expertTensor, int stages, boolean interleaved) {
        public static final Split NONE = new Split(1, false, 1, 1, 1, 1, false);

        /** Returns the ranks of one replica of the model. */
        public int ranks() {
            return tensor * stages;
        }

        /** Formats this to follow a name, for example {@code , tensor parallel 8}. */
        String words() {
            return (tensor > 1 ? ", tensor parallel " + tensor : "")
                    + (sequence ? ", sequence parallel" : "")
                    + (context > 1 ? ", context parallel " + context : "")
                    + (experts > 1 ? ", expert parallel " + experts : "")
                    + (expertTensor > 1 ? ", expert tensor parallel " + expertTensor : "")
                    + (stages > 1 ? ", pipeline parallel " + stages : "");
        }
    }

    /**
     * Shares of forward that backward recomputes.
     *
     * @param products share of the GEMM operations, 0 to 1
     * @param attention share of the attention operations, 0 to 1
     */
    public record Recomputation(double products, double attention) {
        public static final Recomputation NONE = new Recomputation(0, 0);
        public static final Recomputation ALL = new Recomputation(1, 1);
    }

    /**
     * Peak of one GPU in the GEMM format.
     *
     * @param format {@code fp8}, {@code bf16}, {@code fp16} or {@code fp32}
     */
    public record Peak(String format, double flopsPerSecond) {}

    /**
     * Parameter counts of a model, with embeddings counted once.
     *
     * @param active parameters without experts that a token does not use
     * @param trained the adapters' parameters, or the active ones
     * @param counted the active ones, with a head weighted by how often it is computed per token
     * @param experts how full they are
     */
    public record Parameters(long all, long active, long trained, double counted, ExpertFill experts) {
        /** Creates counts with each active parameter computed for each token. */
        public Parameters(long all, long active, long trained) {
            this(all, active, trained, active, ExpertFill.EVEN);
        }

        /** Creates counts of a model in which each token uses all parameters, and all are trained. */
        public static Parameters of(long parameters) {
            return new Parameters(parameters, parameters, parameters);
        }

        /** Returns parameters saved in a checkpoint: only the adapters' if there are any, as in PEFT. */
        long saved() {
            return isFrozen() ? trained : all;
        }

        /** Returns whether only adapters are trained. */
        public boolean isFrozen() {
            return trained < active;
        }

        /** Formats the counts, in billions. */
        String words() {
            String total =
                    all < 1e8 ? Quantities.significant(all * 1e-6) + " M" : Quantities.significant(all * 1e-9) + " B";
            String ofToken = active == all ? "" : " (" + Quantities.significant(active * 1e-9) + " B active)";
            String adapters = " (" + Quantities.significant(trained * 1e-6) + " M trained, LoRA)";
            return total + ofToken + (isFrozen() ? adapters : "");
        }
    }

    /**
     * Token copies that the fullest rank of an MoE layer receives, over an even share: minimum, mean and maximum over layers.
     *
     * @param load the distribution, in scenario syntax
     */
    public record ExpertFill(String load, double least, double mean, double most) {
        public static final ExpertFill EVEN = new ExpertFill("even", 1, 1, 1);
    }

    /**
     * A training of a model.
     *
     * @param model catalog name or {@code inline}
     * @param size parameters of the model
     * @param attentionFlopsPerToken FLOPs of attention scores and values, forward and backward, see
     *     {@link ModelFlopsUtilization#attentionFlopsPerToken} [flop]
     * @param globalBatch samples per training step
     * @param batch samples per GPU and micro-batch
     * @param peak the peak that utilization is relative to
     */
    public record Training(
            String model,
            Parameters size,
            double attentionFlopsPerToken,
            long globalBatch,
            Batch batch,
            Recomputation recomputation,
            Peak peak) {
        /** Returns the number of all parameters. */
        public long parameters() {
            return size.all();
        }

        public int sequenceLength() {
            return batch.sequenceLength();
        }

        public int microBatch() {
            return batch.microBatch();
        }

        public int accumulationSteps() {
            return batch.accumulationSteps();
        }

        public double tokensPerStep() {
            return (double) globalBatch * sequenceLength();
        }
    }

    /**
     * Memory of one GPU at the moment of its peak.
     *
     * @param bytesByOwner bytes of each owner at the peak, on the pipeline stage that reserves most [bytes]
     * @param neededBytes peak of memory in use, on the pipeline stage that uses most [bytes]
     * @param capacityBytes memory that a framework can allocate [bytes]
     * @param host host memory of a node
     */
    public record Memory(Map<MemoryOwner, Long> bytesByOwner, long neededBytes, long capacityBytes, HostMemory host) {
        public Memory {
            Map<MemoryOwner, Long> ordered = new EnumMap<>(MemoryOwner.class);
            ordered.putAll(bytesByOwner);
            bytesByOwner = Collections.unmodifiableMap(ordered);
        }

        /** Creates the memory of a single stage, which needs everything but its fragmentation. */
        public Memory(Map<MemoryOwner, Long> bytesByOwner, long capacityBytes) {
            this(
                    bytesByOwner,
                    sum(bytesByOwner) - bytesByOwner.getOrDefault(MemoryOwner.FRAGMENTATION, 0L),
                    capacityBytes,
                    HostMemory.UNUSED);
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

        /** Returns the memory in use at the peak. */
        public long usedBytes() {
            return peakBytes() - ofOwner(MemoryOwner.FRAGMENTATION);
        }

        /** Returns how it fits. */
        public MemoryFit fit() {
            return new MemoryFit(neededBytes, peakBytes(), capacityBytes, host);
        }

        public long ofOwner(MemoryOwner owner) {
            Long bytes = bytesByOwner.get(owner);
            return bytes == null ? 0 : bytes;
        }
    }

    /**
     * A bare collective over all ranks.
     *
     * @param totalBytes size of the whole buffer [bytes]
     * @param algorithm the algorithm that ran
     * @param library library it is modelled on, for example {@code nccl}
     */
    public record Collective(CollectiveKind kind, long totalBytes, String algorithm, String library) implements Work {}

    /**
     * The source of a figure.
     *
     * @param what the figure
     * @param source document and place, as text
     * @param date ISO 8601, or empty if the source has none
     */
    public record Source(String what, String source, String date) {
        public static Source of(Figure figure) {
            return new Source(figure.key(), figure.source(), figure.date());
        }
    }
}
