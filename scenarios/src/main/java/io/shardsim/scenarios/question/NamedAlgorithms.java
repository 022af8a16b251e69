package io.shardsim.scenarios.question;

import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.collective.nccl.NcclTransportModel;
import io.shardsim.simulator.strategy.Operation;
import io.shardsim.simulator.strategy.RankGroups;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.StepPlan;
import io.shardsim.simulator.strategy.Stream;
import io.shardsim.simulator.strategy.TrainingJob;
import io.shardsim.topology.Cluster;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Algorithms that a scenario names: each must be able to carry what it is handed. */
final class NamedAlgorithms {
    private static final String SUFFIX = "algorithm";

    private NamedAlgorithms() {}

    /** What is wrong with an algorithm for a bare collective over all GPUs, a sentence that begins with it; null when nothing is. */
    static @Nullable String problem(Task.Collective task, String algorithm, Cluster where) {
        RankGroups world = new RankGroups("world", where.worldSize(), where.worldSize(), 1);
        String label = task.kind().id();
        return refusal(
                transports(),
                new Operation.Collective(Stream.GATHER, task.kind(), world, task.totalBytes(), algorithm, label),
                where);
    }

    /**
     * What is wrong with those of a strategy, a sentence each that begins with the parameter.
     *
     * @param given parameters of the strategy that the scenario names
     */
    static List<String> problems(Map<String, String> given, ShardingStrategy strategy, TrainingJob job, Cluster where) {
        Map<String, String> named = new LinkedHashMap<>(given);
        named.entrySet()
                .removeIf(entry ->
                        !entry.getKey().endsWith(SUFFIX) || entry.getValue().equals(CollectiveSettings.AUTO));
        if (named.isEmpty()) {
            return List.of();
        }
        TransportModel transports = transports();
        Set<String> found = new LinkedHashSet<>();
        for (Operation.Collective collective : collectives(strategy.plan(job))) {
            boolean reduces = collective.stream() == Stream.REDUCE;
            named.forEach((key, algorithm) -> {
                String problem = key.startsWith("reduce") == reduces
                                && collective.algorithm().equals(algorithm)
                        ? refusal(transports, collective, where)
                        : null;
                if (problem != null) {
                    found.add(key.substring(0, key.length() - SUFFIX.length()) + problem);
                }
            });
        }
        return List.copyOf(found);
    }

    private static TransportModel transports() {
        return new NcclTransportModel(CollectiveCatalog.load().algorithms());
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

    private static @Nullable String refusal(TransportModel transports, Operation.Collective collective, Cluster where) {
        try {
            transports.choose(
                    collective.kind(),
                    collective.algorithm(),
                    collective.totalBytes(),
                    collective.groups().membersOf(0),
                    where);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }
}
