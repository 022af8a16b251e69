package io.shardsim.reports;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * How much a swept key matters: the speed ratio of its best value to its worst, all else equal, as the geometric mean over everything else that
 * varies.
 *
 * <p>Excludes the number of nodes, which scaling covers, and points that do not fit.
 *
 * @param key key as written in the sweep
 * @param ratio speed ratio; 1 if the key changes nothing
 */
public record KeyWeight(String key, double ratio) {
    private static final String NODES = "cluster.nodes";

    /** Returns all keys with comparable values, largest ratio first. */
    public static List<KeyWeight> of(ScenarioResult scenario) {
        Set<String> keys = new LinkedHashSet<>();
        scenario.runs().forEach(run -> keys.addAll(run.facts().point().keySet()));
        List<KeyWeight> weights = new ArrayList<>();
        for (String key : keys) {
            double ratio = key.equals(NODES) ? Double.NaN : ratio(scenario, key);
            if (!Double.isNaN(ratio)) {
                weights.add(new KeyWeight(key, ratio));
            }
        }
        weights.sort(
                Comparator.comparingDouble((KeyWeight weight) -> weight.ratio()).reversed());
        return weights;
    }

    /** Returns the ratio; NaN if no two points differ only in the key. */
    private static double ratio(ScenarioResult scenario, String key) {
        Map<Map<String, Object>, List<RunResult>> groups = new LinkedHashMap<>();
        for (RunResult run : scenario.runs()) {
            if (run.training() != null) {
                Map<String, Object> rest = new LinkedHashMap<>(run.facts().point());
                rest.remove(key);
                groups.computeIfAbsent(rest, others -> new ArrayList<>()).add(run);
            }
        }
        double sum = 0;
        int compared = 0;
        for (List<RunResult> group : groups.values()) {
            if (distinct(group, key) > 1) {
                sum += StrictMath.log(most(group) / least(group));
                compared++;
            }
        }
        return compared == 0 ? Double.NaN : StrictMath.exp(sum / compared);
    }

    private static long distinct(List<RunResult> group, String key) {
        return group.stream()
                .map(run -> Objects.toString(run.facts().point().get(key)))
                .distinct()
                .count();
    }

    private static double most(List<RunResult> group) {
        return group.stream().mapToDouble(RunResult::tokensPerSecond).max().orElseThrow();
    }

    private static double least(List<RunResult> group) {
        return group.stream().mapToDouble(RunResult::tokensPerSecond).min().orElseThrow();
    }

    /** Formats this, for example {@code micro_batch 2.0x}. */
    public String words() {
        return key.substring(key.lastIndexOf('.') + 1) + " " + Quantities.fixed(ratio, ratio < 1.095 ? 2 : 1) + "x";
    }
}
