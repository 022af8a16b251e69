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
 * What is known about one point of a scenario before it runs: the question that an observation answers.
 *
 * @param scenario the scenario's name
 * @param point values that the sweep gives this point, by path and in the file's order; empty without a sweep. Values are strings, numbers,
 *     booleans, lists and maps
 * @param cluster where it runs
 * @param work what runs there
 * @param remarks what a reader should know of it
 * @param surroundings what goes on around the step; absent where the scenario says nothing of it
 * @param tried what runs with other settings came to
 * @param accuracy how far off the run may be; absent where nothing similar was published
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

    /** What runs: a training step, or a bare collective. */
    public sealed interface Work {}

    /**
     * A training step.
     *
     * @param strategy how states are sharded
     * @param training what is trained
     * @param memory what the memory ledger says
     */
    public record Sharded(Strategy strategy, Training training, Memory memory) implements Work {}

    /**
     * What runs with other settings came to.
     *
     * @param trials settings that might make it faster; empty where none were tried
     * @param untried settings and choices that would have cost too much, in words
     * @param assumptions what the scenario leaves open; empty where nobody asked
     * @param radius what faults cost, and whom; absent without faults
     * @param path what each second waited for; absent where nobody asked
     * @param mean what a step takes on average; absent where no link is down now and then
     * @param causesPs what each difference from the fastest run of its kind costs; empty where that was not simulated [ps]
     */
    public record Tried(
            List<Trial> trials,
            List<String> untried,
            List<Assumption> assumptions,
            @Nullable BlastRadius radius,
            @Nullable CriticalParts path,
            @Nullable MeanStep mean,
            Map<String, Long> causesPs) {
        /** Nothing was tried. */
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

        /** The same with what other settings and other choices came to. */
        public Tried with(List<Trial> others, List<String> left, List<Assumption> assumed) {
            return new Tried(others, left, assumed, radius, path, mean, causesPs);
        }

        Tried with(@Nullable BlastRadius otherRadius, @Nullable CriticalParts otherPath) {
            return new Tried(trials, untried, assumptions, otherRadius, otherPath, mean, causesPs);
        }

        /** The same with what a step takes on average. */
        public Tried with(MeanStep other) {
            return new Tried(trials, untried, assumptions, radius, path, other, causesPs);
        }

        Tried withCauses(Map<String, Long> others) {
            return new Tried(trials, untried, assumptions, radius, path, mean, others);
        }
    }

    /**
     * What a reader should know.
     *
     * @param notes for example a capped shard group
     * @param warnings what a reader must know before trusting the figures
     * @param sources where the constants come from
     * @param settings the scenario as it was resolved for this run, in the order of a scenario file
     */
    public record Remarks(List<String> notes, List<Message> warnings, List<Source> sources, List<Setting> settings) {
        public Remarks {
            notes = List.copyOf(notes);
            warnings = List.copyOf(warnings);
            sources = List.copyOf(sources);
            settings = List.copyOf(settings);
        }

        /** Without the scenario. */
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

    /** Facts with nothing around the step, no trials, and no published run like it. */
    public static RunFacts of(String scenario, Map<String, ?> point, Cluster cluster, Work work, Remarks remarks) {
        return new RunFacts(scenario, point, cluster, work, remarks, null, Tried.NOTHING, null);
    }

    /** How far off the run may be, or why nothing says so; empty where nothing similar was published. */
    public String accuracyWords() {
        String beyond = messages().stream()
                .map(Message::code)
                .filter(MessageCode::isBeyondMeasurements)
                .map(MessageCode::id)
                .distinct()
                .collect(Collectors.joining(", "));
        return !beyond.isEmpty() ? "not validated here (" + beyond + ")" : accuracy == null ? "" : accuracy.brief();
    }

    /** The same with what published runs say about it, unless it is beyond what they cover. */
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

    /** The same with what goes on around the step. */
    public RunFacts withSurroundings(@Nullable Surroundings around) {
        return new RunFacts(scenario, point, cluster, work, remarks, around, tried, accuracy);
    }

    /** The same with what runs with other settings came to. */
    public RunFacts withTried(Tried other) {
        return new RunFacts(scenario, point, cluster, work, remarks, surroundings, other, accuracy);
    }

    public List<Trial> trials() {
        return tried.trials();
    }

    /** What faults cost, and whom; null without faults. */
    public @Nullable BlastRadius radius() {
        return tried.radius();
    }

    /** What each second waited for; null where nobody asked. */
    public @Nullable CriticalParts path() {
        return tried.path();
    }

    public List<Assumption> assumptions() {
        return tried.assumptions();
    }

    public List<String> notes() {
        return remarks.notes();
    }

    /** The warnings in words. */
    public List<String> warnings() {
        return messages().stream().map(Message::text).toList();
    }

    /** The warnings with their codes. */
    public List<Message> messages() {
        return remarks.warnings();
    }

    /** The scenario as it was resolved for this run. */
    public List<Setting> settings() {
        return remarks.settings();
    }

    /** Keys of imported files that decide the answer and were left out; empty where it answers what was asked. */
    public List<String> accepted() {
        Setting accepted = setting("accepted");
        return accepted == null
                ? List.of()
                : List.of(accepted.value().replaceAll("^\\[|]$", "").split(", "));
    }

    /** What a dotted key was resolved to; null where this run has no such key. */
    public @Nullable Setting setting(String path) {
        return settings().stream()
                .filter(setting -> setting.path().equals(path))
                .findFirst()
                .orElse(null);
    }

    public List<Source> sources() {
        return remarks.sources();
    }

    /** Notes and, behind them, how far off the run may be. */
    public List<String> notesWithAccuracy() {
        List<String> all = new ArrayList<>(notes());
        if (accuracy != null) {
            all.add(accuracy.sentence());
        }
        return all;
    }

    /** How states are sharded; absent for a bare collective. */
    public @Nullable Strategy strategy() {
        return work instanceof Sharded sharded ? sharded.strategy() : null;
    }

    /** What is trained; absent for a bare collective. */
    public @Nullable Training training() {
        return work instanceof Sharded sharded ? sharded.training() : null;
    }

    /** What the memory ledger says; absent for a bare collective. */
    public @Nullable Memory memory() {
        return work instanceof Sharded sharded ? sharded.memory() : null;
    }

    /** The bare collective; absent for training. */
    public @Nullable Collective collective() {
        return work instanceof Collective bare ? bare : null;
    }

    /** The strategy of a training run; an error for a bare collective. */
    public Strategy sharding() {
        return sharded().strategy();
    }

    /** What a training run trains; an error for a bare collective. */
    public Training model() {
        return sharded().training();
    }

    /** The memory ledger of a training run; an error for a bare collective. */
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
     * @param kind as scenario files write it, for example {@code mics}
     * @param name as people write it, for example {@code MiCS}
     * @param shardGroup ranks that together hold one copy of the sharded states, after capping; 1 when nothing is sharded
     * @param holders where one copy of all states lies
     * @param split how the model is split beside data parallelism
     * @param kernels profile of the kernels that run; empty where it does not matter
     */
    public record Strategy(
            String kind, String name, int shardGroup, StateHolders holders, Split split, String kernels) {
        /** Name, how the model is split, and the shard group where that is a choice. */
        public String label(int gpus) {
            return name + split.words() + (choosesGroup(gpus) ? ", shard group " + shardGroup : "");
        }

        /** The same in short, for tables: the name up to what explains it, behind a comma or in parentheses. */
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
     * How a model is split among ranks beside data parallelism.
     *
     * @param tensor ranks that split each layer, 1 for none
     * @param sequence whether they split norms and dropouts along the sequence
     * @param context ranks that split the tokens of each sample, 1 for none
     * @param experts ranks that share out the experts of a layer, 1 for none
     * @param stages pipeline stages, 1 for none
     * @param interleaved whether a stage holds several pieces of the model, which take turns
     */
    public record Split(int tensor, boolean sequence, int context, int experts, int stages, boolean interleaved) {
        public static final Split NONE = new Split(1, false, 1, 1, 1, false);

        /** Ranks that hold one copy of the model. */
        public int ranks() {
            return tensor * stages;
        }

        /** For example {@code , tensor parallel 8}, to follow a name. */
        String words() {
            return (tensor > 1 ? ", tensor parallel " + tensor : "")
                    + (sequence ? ", sequence parallel" : "")
                    + (context > 1 ? ", context parallel " + context : "")
                    + (experts > 1 ? ", expert parallel " + experts : "")
                    + (stages > 1 ? ", pipeline parallel " + stages : "");
        }
    }

    /**
     * How much of forward is computed again in backward.
     *
     * @param products share of the operations of GEMMs, 0 to 1
     * @param attention share of the operations of attention cores, 0 to 1
     */
    public record Recomputation(double products, double attention) {
        public static final Recomputation NONE = new Recomputation(0, 0);
        public static final Recomputation ALL = new Recomputation(1, 1);
    }

    /**
     * Peak of one GPU in the format that GEMMs take.
     *
     * @param format {@code fp8}, {@code bf16}, {@code fp16} or {@code fp32}
     */
    public record Peak(String format, double flopsPerSecond) {}

    /**
     * How many parameters a model has, embeddings counted once.
     *
     * @param active those without the experts that a token does not go through
     * @param trained those of adapters, or the active ones
     * @param counted the active ones, of a head as often as it is computed for a token
     * @param experts how full they are
     */
    public record Parameters(long all, long active, long trained, double counted, ExpertFill experts) {
        /** Each active one is computed for each token. */
        public Parameters(long all, long active, long trained) {
            this(all, active, trained, active, ExpertFill.EVEN);
        }

        /** Of a model in which each token goes through all, and all are trained. */
        public static Parameters of(long parameters) {
            return new Parameters(parameters, parameters, parameters);
        }

        /** What a checkpoint holds: of adapters these alone, as PEFT saves them. */
        long saved() {
            return isFrozen() ? trained : all;
        }

        /** Whether adapters alone are trained. */
        public boolean isFrozen() {
            return trained < active;
        }

        /** In words, in billions. */
        String words() {
            String total = Quantities.significant(all * 1e-9) + " B";
            String ofToken = active == all ? "" : " (" + Quantities.significant(active * 1e-9) + " B active)";
            String adapters = " (" + Quantities.significant(trained * 1e-6) + " M trained, LoRA)";
            return total + ofToken + (isFrozen() ? adapters : "");
        }
    }

    /**
     * Copies of tokens that come to the fullest rank of a layer with experts, over an even share: the least, mean and most of all layers.
     *
     * @param load the law, as scenarios write it
     */
    public record ExpertFill(String load, double least, double mean, double most) {
        public static final ExpertFill EVEN = new ExpertFill("even", 1, 1, 1);
    }

    /**
     * What is trained.
     *
     * @param model catalog name or {@code inline}
     * @param size parameters of the model
     * @param attentionFlopsPerToken attention scores and values, forward and backward, see
     *     {@link ModelFlopsUtilization#attentionFlopsPerToken} [flop]
     * @param globalBatch samples per training step
     * @param batch those of one GPU
     * @param peak what utilization counts against
     */
    public record Training(
            String model,
            Parameters size,
            double attentionFlopsPerToken,
            long globalBatch,
            Batch batch,
            Recomputation recomputation,
            Peak peak) {
        /** All parameters. */
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
     * @param bytesByOwner what each owner holds at the peak, on the pipeline stage that reserves most [bytes]
     * @param neededBytes most that is in use, on the pipeline stage that uses most [bytes]
     * @param capacityBytes what a framework can allocate [bytes]
     * @param host memory of a node's host
     */
    public record Memory(Map<MemoryOwner, Long> bytesByOwner, long neededBytes, long capacityBytes, HostMemory host) {
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

        /** Of the peak, what somebody uses. */
        public long usedBytes() {
            return peakBytes() - ofOwner(MemoryOwner.FRAGMENTATION);
        }

        /** How it fits. */
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
     * @param totalBytes whole buffer [bytes]
     * @param algorithm the algorithm that ran
     * @param library the library it is modelled on, for example {@code nccl}
     */
    public record Collective(CollectiveKind kind, long totalBytes, String algorithm, String library) implements Work {}

    /**
     * Where a figure comes from.
     *
     * @param what the figure
     * @param source document and place, as text
     * @param date ISO 8601, or empty when the source has none
     */
    public record Source(String what, String source, String date) {
        public static Source of(Figure figure) {
            return new Source(figure.key(), figure.source(), figure.date());
        }
    }
}
