package io.shardsim.scenarios.composition;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.question.StrategySpec;
import io.shardsim.scenarios.question.Task;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.strategy.LargestMicroBatch;
import io.shardsim.simulator.strategy.ShardGroupRule;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules of thumb for a training run, each with its reason, and what the simulation says of the neighbouring shard groups.
 *
 * <p>The rule for the shard group is that of the Amazon SageMaker developer guide, written for p4d.24xlarge; below a billion parameters plain data
 * parallelism is the usual choice where a copy of all states fits on a GPU; and what sharding does not split, activations and what a layer needs while
 * it is computed, only tensor, context or pipeline parallelism does.
 */
final class Advice {
    private static final long PLAIN_PARAMETERS_MAX = 1_000_000_000L;
    private static final String PLAIN = "ddp";
    /** Switch of a strategy that may reduce gradients once a step. */
    private static final String NO_SYNC = "no_sync";

    /** Switch of a strategy that gathers units once more where checkpoints lie around them. */
    private static final String REENTRANT = "reentrant_checkpoints";

    /**
     * Communication that a switch of a strategy puts beside computation.
     *
     * @param parameter the switch
     * @param communication what the ranks do, as a clause
     * @param computation what goes on meanwhile once it is on
     */
    private record Overlap(String parameter, String communication, String computation) {}

    private static final List<Overlap> OVERLAPS = List.of(
            new Overlap("overlap_comm", "gradients are reduced", "the backward"),
            new Overlap("overlap_grad_reduce", "gradients are reduced", "the backward"),
            new Overlap("overlap_param_gather", "updated parameters are gathered", "the next step's forward"),
            new Overlap(
                    "overlap_in_backward",
                    "parameters of the backward are gathered, and its gradients reduced,",
                    "the backward of DeepSpeed 0.11 and later"));

    /** Held for a sample or a layer, whoever owns the states. */
    private static final Set<MemoryOwner> NOT_SHARDED =
            Set.of(MemoryOwner.ACTIVATIONS, MemoryOwner.WORKING_SET, MemoryOwner.GATHERED_UNITS, MemoryOwner.BUCKETS);

    private final Task.Training task;
    private final Cluster cluster;
    private final LargestMicroBatch.Found found;
    private final int shardGroup;
    private final GpuMemory memory;

    Advice(Task.Training task, Cluster cluster, LargestMicroBatch.Found found, int shardGroup, GpuMemory memory) {
        this.task = task;
        this.cluster = cluster;
        this.found = found;
        this.shardGroup = shardGroup;
        this.memory = memory;
    }

    /** What a neighbouring shard group came to; no rate where it does not fit. */
    record Neighbour(
            int shardGroup,
            int microBatch,
            MemoryFit fit,
            @Nullable Double samplesPerSecond) {}

    /**
     * What was tried beside the run.
     *
     * @param shardGroups neighbouring shard groups
     * @param fewestCheckpoints the same run with as few layers checkpointed as fit; null where none was looked for
     */
    record Trials(List<Neighbour> shardGroups, LargestMicroBatch.@Nullable Found fewestCheckpoints) {
        static final Trials NONE = new Trials(List.of(), null);
    }

    /** The same task with another shard group, or null where the strategy has none or refuses it. */
    static Task.@Nullable Training withShardGroup(Task.Training task, TrainingJob job, int shardGroup) {
        StrategySpec spec = task.strategy();
        if (spec.descriptor().parameter(StrategyDescriptor.SHARD_GROUP) == null) {
            return null;
        }
        StrategySpec other = with(spec, StrategyDescriptor.SHARD_GROUP, String.valueOf(shardGroup));
        return other.create().problems(job).isEmpty() ? task.withStrategy(other) : null;
    }

    private static StrategySpec with(StrategySpec spec, String parameter, String value) {
        Map<String, String> given = new LinkedHashMap<>(spec.given());
        given.put(parameter, value);
        return new StrategySpec(spec.descriptor(), given);
    }

    List<String> sentences(Trials trials) {
        List<String> sentences = new ArrayList<>();
        addShardGroup(sentences, trials.shardGroups());
        addPlain(sentences);
        addReductions(sentences);
        addOverlap(sentences);
        addReentrant(sentences);
        addCheckpoints(sentences, trials.fewestCheckpoints());
        addModelParallel(sentences);
        return sentences;
    }

    private void addShardGroup(List<String> sentences, List<Neighbour> neighbours) {
        long parameters = found.job().model().parameters();
        int advised = ShardGroupRule.ranks(
                parameters, found.job().dataParallelPerNode(), found.job().dataParallel());
        if (shardGroup <= 1 || cluster.nodes() == 1) {
            return;
        }
        StringBuilder sentence = new StringBuilder("by rule of thumb a shard group has one more node for each 3 billion"
                + " parameters, rounded up to a power of two, so that states fit and gathers stay among few nodes: "
                + Quantities.significant(parameters * 1e-9) + " billion make " + advised + " GPUs here; this run has "
                + shardGroup);
        if (shardGroup == found.job().dataParallel()
                && advised < shardGroup
                && task.strategy().descriptor().parameter(StrategyDescriptor.SHARD_GROUP) == null) {
            sentence.append(", since its strategy knows no smaller ones (")
                    .append(String.join(", ", Strategies.kindsWith(StrategyDescriptor.SHARD_GROUP)))
                    .append(" do)");
        }
        for (Neighbour neighbour : neighbours) {
            sentence.append(neighbour == neighbours.get(0) ? ". Simulated: with " : "; with ")
                    .append(neighbour.shardGroup());
            Double rate = neighbour.samplesPerSecond();
            sentence.append(
                    rate == null
                            ? " it " + MemoryWords.verdict(neighbour.fit())
                            : " it makes " + Quantities.significant(rate) + " samples/s "
                                    + (neighbour.fit().isTight()
                                            ? "and " + MemoryWords.verdict(neighbour.fit())
                                            : "in "
                                                    + Quantities.gib(
                                                            neighbour.fit().reservedBytes()))
                                    + (neighbour.microBatch() == found.job().microBatch()
                                            ? ""
                                            : " with micro-batch " + neighbour.microBatch()));
        }
        sentences.add(sentence.append('.').toString());
    }

    private void addPlain(List<String> sentences) {
        if (shardGroup <= 1 || found.job().model().parameters() >= PLAIN_PARAMETERS_MAX) {
            return;
        }
        ShardingStrategy plain = Strategies.create(PLAIN, Map.of());
        LargestMicroBatch.Found whole = LargestMicroBatch.of(plain, found.job(), memory);
        if (whole.fits()) {
            sentences.add("plain data parallelism (" + PLAIN
                    + ") is enough: below 1 billion parameters every GPU can hold all states, and nothing needs to be gathered;"
                    + " micro-batch " + whole.job().microBatch() + " " + MemoryWords.verdict(whole.fit()) + ".");
        }
    }

    private void addReductions(List<String> sentences) {
        StrategySpec spec = task.strategy();
        TrainingJob job = found.job();
        if (!hasEffect(NO_SYNC, false) || job.dataParallel() == 1 || !found.fits()) {
            return;
        }
        LargestMicroBatch.Found once =
                LargestMicroBatch.given(with(spec, NO_SYNC, "true").create(), job, memory);
        if (once.fits()) {
            sentences.add(
                    "each of the " + job.accumulationSteps() + " micro-batches reduces its gradients; with " + NO_SYNC
                            + ": true the last one reduces them all, which " + MemoryWords.verdict(once.fit())
                            + ".");
        }
    }

    /** One switch at a time: the second of a pair may ask for the first. */
    private void addOverlap(List<String> sentences) {
        TrainingJob job = found.job();
        if (job.dataParallel() == 1 || job.parallel().stages() > 1) {
            return;
        }
        OVERLAPS.stream()
                .filter(overlap -> isSet(overlap.parameter(), false))
                .findFirst()
                .ifPresent(overlap -> sentences.add(overlap.communication() + " with nothing beside it; with "
                        + overlap.parameter() + ": true " + overlap.computation() + " goes on meanwhile."));
    }

    private void addReentrant(List<String> sentences) {
        if (hasEffect(REENTRANT, true) && found.job().dataParallel() > 1) {
            sentences.add(
                    "checkpoints lie around units, which are gathered three times a micro-batch, and in backward never ahead; with "
                            + REENTRANT + ": false, checkpoints inside of units, twice and ahead.");
        }
    }

    /** Whether a switch has this value, and another one would change the run. */
    private boolean hasEffect(String parameter, boolean value) {
        return isSet(parameter, value)
                && !task.strategy().create().idle(found.job()).containsKey(parameter);
    }

    private boolean isSet(String parameter, boolean value) {
        return String.valueOf(value).equals(task.strategy().parameters().get(parameter));
    }

    private void addCheckpoints(List<String> sentences, LargestMicroBatch.@Nullable Found fewest) {
        if (fewest == null || fewest.job().checkpointedLayers() == found.job().checkpointedLayers()) {
            return;
        }
        int layers = fewest.job().checkpointedLayers();
        String needs = MemoryWords.needs(fewest.fit());
        sentences.add(
                layers == 0
                        ? "nothing needs to be computed again: this micro-batch fits with activation_checkpointing: none ("
                                + needs + ")."
                        : "of " + task.model().layers() + " layers " + layers
                                + " need to be checkpointed for this micro-batch to fit with fragmentation (" + needs
                                + "); with checkpointed_layers: " + layers
                                + " the others are not computed again.");
    }

    private void addModelParallel(List<String> sentences) {
        TrainingJob job = found.job();
        long notSharded = found.ledger().atPeak().entrySet().stream()
                .filter(entry -> NOT_SHARDED.contains(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
        if (!found.fits() && job.microBatch() == 1 && notSharded > memory.capacityBytes() / 2) {
            sentences.add("more sharding will not make it fit: " + Quantities.gib(notSharded)
                    + " are activations and what a layer needs while it is computed, for one sample; tensor, context or pipeline"
                    + " parallelism splits these.");
        } else if (found.fits() && job.microBatch() * job.accumulationSteps() == 1 && cluster.nodes() > 1) {
            sentences.add(
                    "each GPU has one sample a step: on more GPUs the same global batch asks for tensor, context or pipeline"
                            + " parallelism, where several GPUs share a sample.");
        }
    }
}
