package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.topology.Cluster;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Checks that algorithms named by a scenario support the collectives they are used for. */
final class NamedAlgorithms {
    private static final String SUFFIX = "algorithm";

    private NamedAlgorithms() {}

    /** Returns what is wrong with an algorithm for a bare collective over all GPUs, as a sentence that starts with its name; null if nothing is. */
    static @Nullable String problem(Task.Collective task, CollectiveSettings settings, Cluster where) {
        int[] everyone = IntStream.range(0, where.worldSize()).toArray();
        return refusal(settings.transports(), task.kind(), settings.algorithm(), task.totalBytes(), everyone, where);
    }

    /**
     * Returns what is wrong with a strategy's algorithms, each with its parameter.
     *
     * @param given strategy parameters set by the scenario
     */
    static List<Refusal> problems(
            Map<String, String> given, ShardingStrategy strategy, TrainingJob job, Cluster where) {
        Map<String, String> named = new LinkedHashMap<>(given);
        named.entrySet()
                .removeIf(entry -> !StrategyDescriptor.ALGORITHMS.contains(entry.getKey())
                        || entry.getValue().equals(CollectiveSettings.AUTO));
        if (named.isEmpty()) {
            return List.of();
        }
        TransportModel transports =
                new CollectiveSettings(CollectiveSettings.NCCL, CollectiveSettings.AUTO, null).transports();
        // The first few micro-batches issue all kinds of collectives; an interleaved schedule keeps as many in flight
        // as it has stages.
        int few = Math.min(job.accumulationSteps(), 2 * job.parallel().stages());
        TrainingJob shown = job.withMicroBatch(job.microBatch(), few);
        Set<Refusal> found = new LinkedHashSet<>();
        for (Operation.Collective collective : collectives(strategy.plan(shown))) {
            boolean reduces = collective.stream() == Stream.REDUCE;
            named.forEach((key, algorithm) -> {
                String problem = key.equals(StrategyDescriptor.REDUCE_ALGORITHM) == reduces
                                && collective.algorithm().equals(algorithm)
                        ? refusal(
                                transports,
                                collective.kind(),
                                algorithm,
                                collective.totalBytes(),
                                collective.groups().membersOf(0),
                                where)
                        : null;
                if (problem != null) {
                    found.add(Refusal.of(key.substring(0, key.length() - SUFFIX.length()) + problem, key));
                }
            });
        }
        return List.copyOf(found);
    }

    private static Set<Operation.Collective> collectives(StepPlan plan) {
        Set<Operation.Collective> distinct = new LinkedHashSet<>();
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective) {
                distinct.add(collective);
            }
        }
        return distinct;
    }

    private static @Nullable String refusal(
            TransportModel transports,
            CollectiveKind kind,
            String algorithm,
            long totalBytes,
            int[] members,
            Cluster where) {
        try {
            transports.choose(kind, algorithm, totalBytes, members, where);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }
}
