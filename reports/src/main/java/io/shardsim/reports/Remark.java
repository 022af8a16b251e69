package io.shardsim.reports;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A note or warning and the runs that it concerns.
 *
 * @param runs in words; {@link #ALL} where it concerns all of them
 */
public record Remark(String text, String runs) {
    public static final String ALL = "all runs";

    /** Runs that are named one by one. */
    private static final int NAMED_MAX = 3;

    /** What is to be said about the runs of a scenario, each text once. */
    public static List<Remark> of(ScenarioResult scenario, Function<RunResult, List<String>> texts) {
        RunNames names = scenario.names();
        Map<String, List<RunResult>> runsByText = new LinkedHashMap<>();
        for (RunResult run : scenario.runs()) {
            new LinkedHashSet<>(texts.apply(run))
                    .forEach(text -> runsByText
                            .computeIfAbsent(text, t -> new ArrayList<>())
                            .add(run));
        }
        List<Remark> remarks = new ArrayList<>();
        runsByText.forEach((text, runs) -> remarks.add(new Remark(text, words(scenario, runs, names))));
        return remarks;
    }

    /** All; all of some sizes; all of some series; or one by one. */
    private static String words(ScenarioResult scenario, List<RunResult> runs, RunNames names) {
        if (runs.size() == scenario.runs().size()) {
            return ALL;
        }
        Set<Integer> sizes = runs.stream().map(RunResult::gpus).collect(Collectors.toCollection(TreeSet::new));
        long ofTheseSizes = scenario.runs().stream()
                .filter(run -> sizes.contains(run.gpus()))
                .count();
        if (runs.size() > 1 && runs.size() == ofTheseSizes) {
            return String.join(", ", sizes.stream().map(String::valueOf).toList()) + " GPUs";
        }
        Set<RunResult> those = Collections.newSetFromMap(new IdentityHashMap<>());
        those.addAll(runs);
        List<String> series = new ArrayList<>();
        int inSeries = 0;
        for (Map.Entry<String, List<RunResult>> one : scenario.series().entrySet()) {
            if (those.containsAll(one.getValue())) {
                series.add(one.getKey());
                inSeries += one.getValue().size();
            }
        }
        if (inSeries == runs.size() && series.size() <= NAMED_MAX) {
            return String.join("; ", series);
        }
        return runs.size() <= NAMED_MAX
                ? String.join("; ", runs.stream().map(names::withGpus).toList())
                : names.withGpus(runs.get(0)) + " and " + (runs.size() - 1) + " more runs";
    }
}
