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
 * How much a key of a sweep matters: how many times as fast its best value is as its worst, all else alike, as the geometric mean over
 * whatever else varies.
 *
 * <p>Leaves out the number of nodes, which scaling tells, and points that do not fit.
 *
 * @param key as the sweep writes it
 * @param ratio 1 where the key changes nothing
 */
public record KeyWeight(String key, double ratio) {
    private static final String NODES = "cluster.nodes";

    /** All keys of which some values can be compared, the largest ratio first. */
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

    /** NaN where no two points differ in nothing else. */
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

    /** For example {@code micro_batch 2.0x}. */
    public String words() {
        return key.substring(key.lastIndexOf('.') + 1) + " " + Quantities.fixed(ratio, ratio < 1.095 ? 2 : 1) + "x";
    }
}
