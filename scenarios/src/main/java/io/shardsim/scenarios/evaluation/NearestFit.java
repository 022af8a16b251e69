package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.MemoryWords;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.StrategySpec;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.job.ActivationPolicy;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.job.Ranks;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.strategy.LargestMicroBatch;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.topology.Cluster;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What would make a training run fit: the smallest change that does, in the order of what it costs. First a smaller micro-batch, then
 * recomputation, then offload, then a larger shard group, each alone; then all of them together; then more nodes. Where it fits tightly, the smallest
 * change that fits with fragmentation too.
 *
 * <p>Leaves out other strategies and other GPUs, which change the question.
 */
final class NearestFit {
    /** Beyond the largest clusters that anyone rents. */
    private static final int NODES_MAX = 4096;

    private static final String GLOBAL_BATCH = "training.global_batch";

    private final ScenarioPoint point;
    private final Task.Training task;
    private final Cluster cluster;
    private final TrainingJob job;
    private final GpuMemory memory;
    private final StrategyParameters settings;

    /** @param training does not fit, or tightly */
    NearestFit(TrainingPoint training) {
        point = training.point();
        task = training.task();
        cluster = training.cluster();
        job = training.job();
        memory = training.memory();
        settings = training.strategy().settings();
    }

    /** The first change that gives a tight run room, to be tried; none where none was found, or it would train with another batch. */
    Optional<Lever> room() {
        for (Change change : changes()) {
            Fitting fitting = tried(change);
            if (fitting != null && fitting.fit().isRoomy()) {
                Map<String, String> settings = settings(change);
                return settings.containsKey(GLOBAL_BATCH) ? Optional.empty() : lever(settings, fitting);
            }
        }
        return Optional.empty();
    }

    private Optional<Lever> lever(Map<String, String> settings, Fitting fitting) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        if (task.microBatch() != null) {
            all.put(Lever.MICRO_BATCH, String.valueOf(fitting.microBatch()));
        }
        return Lever.of(settings.isEmpty() ? "A smaller micro-batch" : "With " + words(settings), point, all)
                .map(lever -> new Lever(lever.title(), settings, lever.point()));
    }

    /** One change or none of each kind. */
    private record Change(ActivationPolicy kept, @Nullable String shardGroup, int nodes) {}

    /**
     * A change that makes the run fit.
     *
     * @param words the change and the micro-batch that fits with it
     */
    private record Fitting(String words, MemoryFit fit, int microBatch) {}

    /** The change in words, or what to try when nothing was found. */
    String words() {
        Fitting tight = null;
        for (Change change : changes()) {
            Fitting fitting = tried(change);
            if (fitting != null && fitting.fit().isRoomy()) {
                return (tight == null ? "what fits: " : tightly(tight) + "; what fits with room: ") + said(fitting);
            }
            tight = tight == null ? fitting : tight;
        }
        return tight == null
                ? "no number of nodes up to " + NODES_MAX
                        + " makes this strategy fit; choose one that shards more, a smaller model, or a GPU with more memory"
                : tightly(tight);
    }

    private static String tightly(Fitting fitting) {
        return "what fits tightly: " + said(fitting);
    }

    private static String said(Fitting fitting) {
        return fitting.words() + " (" + MemoryWords.needs(fitting.fit()) + ")";
    }

    /** In the order of what they cost. */
    private Set<Change> changes() {
        ActivationPolicy kept = task.execution().kept();
        ActivationPolicy checkpointed =
                kept.withCheckpoints(Checkpointing.FULL, task.model().layers());
        String world = hasLargerShardGroup() ? String.valueOf(job.dataParallel()) : null;
        int nodes = cluster.nodes();
        Set<Change> changes = new LinkedHashSet<>();
        changes.add(new Change(kept, null, nodes));
        changes.add(new Change(checkpointed, null, nodes));
        changes.add(new Change(checkpointed.withOffload(true), null, nodes));
        changes.add(new Change(kept, world, nodes));
        changes.add(new Change(checkpointed.withOffload(true), world, nodes));
        for (int more = nodes * 2; more <= NODES_MAX; more *= 2) {
            int ranks = more * cluster.gpusPerNode() / job.parallel().ranks();
            changes.add(new Change(kept, givesShardGroup() ? String.valueOf(ranks) : null, more));
        }
        return changes;
    }

    private boolean hasLargerShardGroup() {
        return givesShardGroup() && settings.count(StrategyDescriptor.SHARD_GROUP) < job.dataParallel();
    }

    /** Whether the scenario says how many ranks share the states, so that more nodes alone would change nothing. */
    private boolean givesShardGroup() {
        return task.strategy().given().containsKey(StrategyDescriptor.SHARD_GROUP)
                && settings.count(StrategyDescriptor.SHARD_GROUP) > 0;
    }

    /** What fits, or null when it does not. */
    private @Nullable Fitting tried(Change change) {
        long worldSize = (long) change.nodes * cluster.gpusPerNode();
        ShardingStrategy strategy = spec(change).create();
        long samples = Math.max(1, task.globalBatch() / replicas(change));
        TrainingJob changed = new TrainingJob(
                job.model(),
                new Ranks(Math.toIntExact(worldSize), job.gpusPerNode()),
                new Batch(job.sequenceLength(), 1, Math.toIntExact(samples)),
                job.execution(),
                change.kept,
                job.gradientClipping(),
                strategy.modelParallel());
        if (!strategy.problems(changed).isEmpty()) {
            return null;
        }
        LargestMicroBatch.Found found = LargestMicroBatch.of(strategy, changed, memory);
        return found.fits()
                ? new Fitting(words(change, found), found.fit(), found.job().microBatch())
                : null;
    }

    private StrategySpec spec(Change change) {
        Map<String, String> given = new LinkedHashMap<>(task.strategy().given());
        if (change.shardGroup != null) {
            given.put(StrategyDescriptor.SHARD_GROUP, change.shardGroup);
        }
        return new StrategySpec(task.strategy().descriptor(), given);
    }

    /** Groups of ranks that train on samples of their own. */
    private long replicas(Change change) {
        long worldSize = (long) change.nodes * cluster.gpusPerNode();
        return Math.max(1, worldSize / spec(change).create().modelParallel().ranksOfSample());
    }

    /** With the micro-batch, which may be another one. */
    private String words(Change change, LargestMicroBatch.Found found) {
        Map<String, String> settings = settings(change);
        settings.put(Lever.MICRO_BATCH, String.valueOf(found.job().microBatch()));
        return words(settings);
    }

    private static String words(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(set -> set.getKey().substring(set.getKey().indexOf('.') + 1) + " " + set.getValue())
                .collect(Collectors.joining(", "));
    }

    /** What a change writes into the scenario, but for the micro-batch. */
    private Map<String, String> settings(Change change) {
        ActivationPolicy given = task.execution().kept();
        Map<String, String> settings = new LinkedHashMap<>();
        if (change.nodes != cluster.nodes()) {
            settings.put("cluster.nodes", String.valueOf(change.nodes));
        }
        if (change.shardGroup != null) {
            settings.put("strategy." + StrategyDescriptor.SHARD_GROUP, change.shardGroup);
        }
        if (change.kept.checkpointing() != given.checkpointing()) {
            settings.put("training.activation_checkpointing", "full");
        }
        if (change.kept.checkpointedLayers() != given.checkpointedLayers()) {
            settings.put("training.checkpointed_layers", String.valueOf(change.kept.checkpointedLayers()));
        }
        if (change.kept.offload() != given.offload()) {
            settings.put("training.activation_offload", "true");
        }
        long replicas = replicas(change);
        if (task.globalBatch() % replicas != 0) {
            settings.put(GLOBAL_BATCH, String.valueOf(Math.max(1, task.globalBatch() / replicas) * replicas));
        }
        return settings;
    }
}
