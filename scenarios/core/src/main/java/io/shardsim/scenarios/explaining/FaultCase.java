package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.explaining.Explainer.Subject;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fault of one strength, before it runs.
 *
 * @param settings settings that cause it, for each log's run
 * @param points one point per log; empty if the fault is not simulated
 */
record FaultCase(
        String fault, KnownFault known, String title, List<Map<String, String>> settings, List<ScenarioPoint> points) {

    private static final String STRATEGY = "strategy.";
    /** Keys of links that nodes of one GPU do not have. */
    private static final String INSIDE_NODE = "cluster.intra_node";

    /** The prior of this strength. */
    double odds() {
        return (double) known.odds() / known.strengths().size();
    }

    /** Returns all faults in all strengths that apply to a run. */
    static List<FaultCase> all(
            Subject subject, List<ScenarioPoint> points, List<Explanation.Log> logs, Set<String> ruledOut) {
        List<FaultCase> cases = new ArrayList<>();
        for (String name : KnownFault.names()) {
            if (ruledOut.contains(name)) {
                continue;
            }
            KnownFault fault = KnownFault.named(name);
            for (KnownFault.Variant strength : fault.strengths()) {
                String title = strength.title().isEmpty() ? fault.title() : fault.title() + ": " + strength.title();
                if (fault.unsimulated() != null) {
                    cases.add(new FaultCase(name, fault, title, List.of(Map.of()), List.of()));
                    continue;
                }
                List<Map<String, String>> each =
                        points.stream().map(point -> settings(strength, point)).toList();
                List<ScenarioPoint> changed = new ArrayList<>();
                for (int i = 0; i < points.size(); i++) {
                    ScenarioPoint with = changed(subject, logs.get(i).measured().at(), each.get(i));
                    if (with != null) {
                        changed.add(with);
                    }
                }
                if (!each.get(0).isEmpty() && changed.size() == points.size()) {
                    cases.add(new FaultCase(name, fault, title, each, changed));
                }
            }
        }
        return cases;
    }

    /** Returns the settings that cause the fault in this cluster and with this strategy; empty if they do not apply. */
    private static Map<String, String> settings(KnownFault.Variant strength, ScenarioPoint point) {
        Map<String, String> settings = new LinkedHashMap<>();
        strength.settings().forEach((key, value) -> {
            if (key.startsWith(STRATEGY)
                    ? hasParameter(point, key.substring(STRATEGY.length()))
                    : !key.startsWith(INSIDE_NODE) || point.cluster().instance().gpusPerNode() > 1) {
                settings.put(key, value);
            }
        });
        strength.times()
                .forEach((key, factor) ->
                        settings.put(key, scaled(point.cluster().instance(), key, factor)));
        return settings;
    }

    private static boolean hasParameter(ScenarioPoint point, String parameter) {
        return point.task() instanceof Task.Training training
                && training.strategy().descriptor().parameter(parameter) != null;
    }

    private static String scaled(InstanceSpec instance, String key, double factor) {
        return switch (key) {
            case "cluster.nics_per_node" -> String.valueOf(Math.max(1, Math.round(instance.nicsPerNode() * factor)));
            case "cluster.pcie" -> rate(instance.pcie().linkRate(), factor);
            case "faults.slow_nic" -> rate(instance.nic().lineRate(), factor);
            default -> throw new IllegalArgumentException("times has no " + key);
        };
    }

    private static String rate(Bandwidth rate, double factor) {
        return rate.scaled(factor).bytesPerSecond() + " B/s";
    }

    /** Returns a run with the fault; null if the strategy cannot run with it. */
    static @Nullable ScenarioPoint changed(Subject subject, Map<String, String> at, Map<String, String> settings) {
        Map<String, String> values = new LinkedHashMap<>(at);
        values.putAll(settings);
        try {
            return subject.point(values);
        } catch (InputException impossible) {
            return null;
        }
    }

    /** Returns its runs that were not given up. */
    List<RunResult> results(PointRuns runs) {
        return points().stream().map(runs::result).filter(Objects::nonNull).toList();
    }
}
