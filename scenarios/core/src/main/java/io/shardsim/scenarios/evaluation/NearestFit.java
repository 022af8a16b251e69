package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.MemoryWords;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.job.ActivationPolicy;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.strategy.LargestMicroBatch;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.topology.Cluster;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the cheapest change that makes a training run fit. Tries a smaller micro-batch, recomputation, offload and a larger shard group, each alone;
 * then all of them together; then more nodes; then tensor parallelism within a node. If the run fits tightly, finds the cheapest change that also
 * fits with fragmentation.
 *
 * <p>Excludes other strategies and other GPUs, which change the question.
 */
final class NearestFit {
    /** More nodes than anyone rents. */
    private static final int NODES_MAX = 4096;

    private static final String TENSOR = StrategyDescriptor.TENSOR;

    private static final String GLOBAL_BATCH = "training.global_batch";

    private final ScenarioPoint point;
    private final Task.Training task;
    private final Cluster cluster;
    private final TrainingJob job;
    private final StrategyParameters settings;

    /** @param training a run that does not fit, or fits tightly */
    NearestFit(TrainingPoint training) {
        point = training.point();
        task = training.task();
        cluster = training.cluster();
        job = training.job();
        settings = training.strategy().settings();
    }

    /** Returns the first change that frees memory in a tight run, to be tried; empty if there is none, or if it changes the batch. */
    Optional<TriedSettings> room() {
        for (Map<String, String> change : changes()) {
            LargestMicroBatch.Found found = tried(change);
            if (found != null && found.fit().isRoomy()) {
                return change.containsKey(GLOBAL_BATCH) ? Optional.empty() : lever(change, found);
            }
        }
        return Optional.empty();
    }

    private Optional<TriedSettings> lever(Map<String, String> change, LargestMicroBatch.Found found) {
        return TriedSettings.of(
                        change.isEmpty() ? "A smaller micro-batch" : "With " + words(change),
                        point,
                        task.microBatch() == null ? change : withMicroBatch(change, found))
                .map(lever -> new TriedSettings(lever.title(), change, lever.point()));
    }

    /** Returns the change in words, or what to try if none was found. */
    String words() {
        String tight = "";
        for (Map<String, String> change : changes()) {
            LargestMicroBatch.Found found = tried(change);
            if (found != null) {
                String said = words(withMicroBatch(change, found)) + " (" + MemoryWords.needs(found.fit()) + ")";
                if (found.fit().isRoomy()) {
                    return (tight.isEmpty() ? "fits with: " : tight + "; fits with headroom: ") + said;
                }
                tight = tight.isEmpty() ? "fits tightly with: " + said : tight;
            }
        }
        return tight.isEmpty()
                ? "this strategy does not fit on up to " + NODES_MAX + " nodes"
                        + (settings.names().contains(TENSOR) ? " at any " + TENSOR + " within a node" : "")
                        + "; choose one that shards more, a smaller model, or a GPU with more memory"
                : tight;
    }

    /** Returns changed values by dotted key, cheapest first. */
    private Set<Map<String, String>> changes() {
        Map<String, String> world = hasLargerShardGroup() ? shardGroup(job.dataParallel()) : Map.of();
        Map<String, String> checkpointed = new LinkedHashMap<>();
        ActivationPolicy kept = task.execution().kept();
        int layers = task.model().layers();
        if (kept.checkpointing() != Checkpointing.FULL) {
            checkpointed.put("training.activation_checkpointing", "full");
        }
        if (kept.checkpointedLayers() != layers) {
            checkpointed.put("training.checkpointed_layers", String.valueOf(layers));
        }
        Map<String, String> offloaded =
                kept.offload() ? checkpointed : both(checkpointed, Map.of("training.activation_offload", "true"));
        Set<Map<String, String>> changes =
                new LinkedHashSet<>(List.of(Map.of(), checkpointed, offloaded, world, both(world, offloaded)));
        for (int more = cluster.nodes() * 2; more <= NODES_MAX; more *= 2) {
            changes.add(nodes(more));
        }
        if (settings.names().contains(TENSOR)) {
            for (int ranks = 2 * job.parallel().tensor(); ranks <= cluster.gpusPerNode(); ranks *= 2) {
                Map<String, String> split = Map.of("strategy." + TENSOR, String.valueOf(ranks));
                changes.add(split);
                changes.add(both(split, checkpointed));
            }
        }
        return changes;
    }

    private static Map<String, String> both(Map<String, String> first, Map<String, String> second) {
        Map<String, String> both = new LinkedHashMap<>(first);
        both.putAll(second);
        return both;
    }

    private static Map<String, String> shardGroup(int ranks) {
        return Map.of("strategy." + StrategyDescriptor.SHARD_GROUP, String.valueOf(ranks));
    }

    /** Returns a change to more nodes, all of which share the states, with a batch that divides among them. */
    private Map<String, String> nodes(int nodes) {
        Map<String, String> change = new LinkedHashMap<>(Map.of("cluster.nodes", String.valueOf(nodes)));
        int gpus = nodes * cluster.gpusPerNode();
        if (givesShardGroup()) {
            change.putAll(shardGroup(gpus / job.parallel().ranks()));
        }
        long replicas = Math.max(1, gpus / job.parallel().ranksOfSample());
        if (task.globalBatch() % replicas != 0) {
            change.put(GLOBAL_BATCH, String.valueOf(Math.max(1, task.globalBatch() / replicas) * replicas));
        }
        return change;
    }

    private boolean hasLargerShardGroup() {
        return givesShardGroup() && settings.count(StrategyDescriptor.SHARD_GROUP) < job.dataParallel();
    }

    /** Returns whether the scenario sets the shard group, so that more nodes alone change nothing. */
    private boolean givesShardGroup() {
        return task.strategy().given().containsKey(StrategyDescriptor.SHARD_GROUP)
                && settings.count(StrategyDescriptor.SHARD_GROUP) > 0;
    }

    /** Returns the micro-batch that fits with a change, or null. */
    private LargestMicroBatch.@Nullable Found tried(Map<String, String> change) {
        return TriedSettings.ofOpen("", point, change)
                .map(lever -> TrainingPoint.of(lever.point()).found())
                .filter(LargestMicroBatch.Found::fits)
                .orElse(null);
    }

    /** Returns a change with its micro-batch, which may be a new one. */
    private static Map<String, String> withMicroBatch(Map<String, String> change, LargestMicroBatch.Found found) {
        return both(
                change,
                Map.of(TriedSettings.MICRO_BATCH, String.valueOf(found.job().microBatch())));
    }

    private static String words(Map<String, String> change) {
        return change.entrySet().stream()
                .map(set -> set.getKey().substring(set.getKey().indexOf('.') + 1) + " " + set.getValue())
                .collect(Collectors.joining(", "));
    }
}
