package io.shardsim.reports;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * All runs of one scenario: one run, or every point of its sweep.
 *
 * @param runs in the sweep's order
 */
public record ScenarioResult(String scenario, List<RunResult> runs) {

    /** Puts runs together; in a sweep each gets its scaling efficiency. */
    public static ScenarioResult of(String scenario, List<RunResult> runs) {
        return new ScenarioResult(scenario, List.copyOf(isSweep(runs) ? ScalingEfficiency.apply(runs) : runs));
    }

    private static boolean isSweep(List<RunResult> runs) {
        return runs.size() > 1
                || (runs.size() == 1 && !runs.get(0).facts().point().isEmpty());
    }

    public boolean sweep() {
        return isSweep(runs);
    }

    /** True when at least one point ran. */
    public boolean anyFits() {
        return runs.stream().anyMatch(RunResult::fits);
    }

    /** The run of a series that stands for it: on its largest cluster that fits, or on its largest. */
    public static RunResult largestThatFits(List<RunResult> series) {
        RunResult largest = series.get(series.size() - 1);
        for (RunResult run : series) {
            if (run.fits() && (!largest.fits() || run.gpus() >= largest.gpus())) {
                largest = run;
            }
        }
        return largest;
    }

    /**
     * Runs that differ in the number of nodes only, smallest cluster first, by a name that tells them apart. A run without a strategy is
     * named by its collective.
     */
    public Map<String, List<RunResult>> series() {
        Map<String, List<RunResult>> byKey = new LinkedHashMap<>();
        for (RunResult run : runs) {
            byKey.computeIfAbsent(ScalingEfficiency.seriesKey(run), key -> new ArrayList<>())
                    .add(run);
        }
        Map<String, List<RunResult>> named = new LinkedHashMap<>();
        for (List<RunResult> members : byKey.values()) {
            members.sort(Comparator.comparingInt(RunResult::gpus));
            named.put(unusedName(named, seriesName(members, byKey.values())), Collections.unmodifiableList(members));
        }
        return Collections.unmodifiableMap(named);
    }

    private static String unusedName(Map<String, ?> used, String name) {
        String candidate = name;
        for (int i = 2; used.containsKey(candidate); i++) {
            candidate = name + " (" + i + ")";
        }
        return candidate;
    }

    /**
     * The strategy on the largest cluster in short; in full where that is not unique; with the sweep's values where neither is. A collective for which
     * the library chose one algorithm here and another one there is named without them.
     */
    private static String seriesName(List<RunResult> members, Collection<List<RunResult>> all) {
        RunFacts.Collective bare = members.get(0).facts().collective();
        if (bare != null && members.stream().map(RunResult::label).distinct().count() > 1) {
            return withVarying(bare.kind().id(), members, others(members, all));
        }
        String brief = shortLabel(members);
        if (rivals(members, all, brief, ScenarioResult::shortLabel).isEmpty()) {
            return brief;
        }
        String full = label(members);
        List<List<RunResult>> rivals = rivals(members, all, full, ScenarioResult::label);
        if (rivals.isEmpty()) {
            return full;
        }
        return withVarying(brief, members, rivals);
    }

    private static String withVarying(String name, List<RunResult> members, List<List<RunResult>> rivals) {
        StringBuilder words = new StringBuilder(name);
        varying(members, rivals)
                .forEach((path, value) -> words.append(", ")
                        .append(setting(
                                path.substring(path.lastIndexOf('.') + 1).replace('_', ' '), value)));
        return words.toString();
    }

    private static List<List<RunResult>> others(List<RunResult> members, Collection<List<RunResult>> all) {
        return all.stream().filter(other -> other != members).toList();
    }

    private static List<List<RunResult>> rivals(
            List<RunResult> members,
            Collection<List<RunResult>> all,
            String name,
            Function<List<RunResult>, String> naming) {
        return others(members, all).stream()
                .filter(other -> naming.apply(other).equals(name))
                .toList();
    }

    private static String label(List<RunResult> members) {
        return members.get(members.size() - 1).label();
    }

    private static String shortLabel(List<RunResult> members) {
        RunResult largest = members.get(members.size() - 1);
        RunFacts.Strategy strategy = largest.facts().strategy();
        return strategy == null ? largest.label() : strategy.shortLabel(largest.gpus());
    }

    private static String setting(String name, Object value) {
        return value instanceof Boolean on ? (on ? name : "no " + name) : name + " " + value;
    }

    /** The values of the sweep that are not the same in all the other series, key by key where they are blocks. */
    private static Map<String, Object> varying(List<RunResult> members, List<List<RunResult>> rivals) {
        Map<String, Object> values = values(members);
        values.entrySet()
                .removeIf(entry -> rivals.stream()
                        .allMatch(rival -> entry.getValue().equals(values(rival).get(entry.getKey()))));
        return values;
    }

    private static Map<String, Object> values(List<RunResult> series) {
        Map<String, Object> values = new LinkedHashMap<>();
        ScalingEfficiency.seriesPoint(series.get(0)).forEach((path, value) -> {
            if (value instanceof Map<?, ?> block) {
                block.forEach((key, inner) -> values.put(path + "." + key, inner));
            } else {
                values.put(path, value);
            }
        });
        return values;
    }
}
