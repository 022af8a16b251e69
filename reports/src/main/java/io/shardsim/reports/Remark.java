package io.shardsim.reports;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A note or warning and the runs that it concerns. Sentences that differ in their figures alone are one, with all values of a figure or their range;
 * published sources are listed once, in a remark of their own.
 *
 * @param runs in words; {@link #ALL} where it concerns all of them
 */
public record Remark(String text, String runs) {
    public static final String ALL = "all runs";

    /** Runs that are named one by one. */
    private static final int NAMED_MAX = 3;

    /** Values of a figure that are listed; of more, and of fractions, the range is told. */
    private static final int VALUES_MAX = 4;

    /** Figures without a sign, and not parts of names. */
    private static final Pattern FIGURE = Pattern.compile("(?<![\\w.+\\[-])\\d+(,\\d{3})*(\\.\\d+)?(?!\\w|\\.\\d)");

    private static final Pattern SOURCES = Pattern.compile(", by \\d+ published sources?: (.*?)(\\.?)$");

    /** What is to be said about the runs of a scenario, each text once. */
    public static List<Remark> of(ScenarioResult scenario, Function<RunResult, List<String>> texts) {
        Map<String, Map<String, List<RunResult>>> alike = new LinkedHashMap<>();
        Set<String> sources = new LinkedHashSet<>();
        for (RunResult run : scenario.runs()) {
            for (String text : new LinkedHashSet<>(texts.apply(run))) {
                String told = withoutSources(text, sources);
                alike.computeIfAbsent(FIGURE.matcher(told).replaceAll("#"), key -> new LinkedHashMap<>())
                        .computeIfAbsent(told, key -> new ArrayList<>())
                        .add(run);
            }
        }
        List<Remark> remarks = new ArrayList<>();
        for (Map<String, List<RunResult>> one : alike.values()) {
            Set<RunResult> those = Collections.newSetFromMap(new IdentityHashMap<>());
            one.values().forEach(those::addAll);
            List<RunResult> runs =
                    scenario.runs().stream().filter(those::contains).toList();
            remarks.add(new Remark(inOne(List.copyOf(one.keySet())), words(scenario, runs, scenario.names())));
        }
        if (!sources.isEmpty()) {
            remarks.add(new Remark(sourcesInWords(sources), ALL));
        }
        return remarks;
    }

    /** A sentence on accuracy without the sources that it ends with. */
    public static String withoutSources(String sentence, Set<String> sources) {
        Matcher matcher = SOURCES.matcher(sentence);
        if (!matcher.find()) {
            return sentence;
        }
        sources.addAll(List.of(matcher.group(1).split("(?<=\\)), ")));
        return sentence.substring(0, matcher.start()) + matcher.group(2);
    }

    /** Sources of ranges of accuracy. */
    public static String sourcesInWords(Set<String> sources) {
        return "Sources of accuracy: " + String.join(", ", sources) + ".";
    }

    /** Texts that differ in figures alone as one. */
    private static String inOne(List<String> texts) {
        List<List<String>> figures = texts.stream()
                .map(text ->
                        FIGURE.matcher(text).results().map(MatchResult::group).toList())
                .toList();
        int[] place = {-1};
        return FIGURE.matcher(texts.get(0)).replaceAll(match -> {
            place[0]++;
            return values(figures.stream().map(of -> of.get(place[0])).toList());
        });
    }

    private static String values(List<String> figures) {
        List<String> distinct = figures.stream()
                .distinct()
                .sorted(Comparator.comparing(figure -> new BigDecimal(figure.replace(",", ""))))
                .toList();
        boolean listed = distinct.size() <= VALUES_MAX && distinct.stream().noneMatch(figure -> figure.contains("."));
        return listed || distinct.size() == 1
                ? String.join(", ", distinct)
                : distinct.get(0) + "-" + distinct.get(distinct.size() - 1);
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
