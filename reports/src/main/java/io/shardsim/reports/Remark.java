package io.shardsim.reports;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Iterator;
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
 * A note or warning and the runs that it concerns. Sentences that differ only in figures are merged, with all values of a figure or their range;
 * published sources are listed once, in a remark of their own.
 *
 * @param runs the runs in words; {@link #ALL} if it concerns all
 */
public record Remark(String text, String runs) {
    public static final String ALL = "all runs";

    /** Maximum number of runs listed by name. */
    private static final int NAMED_MAX = 3;

    /** Maximum number of differing figures for a merge; beyond it one sentence is shown. */
    private static final int FIGURES_MAX = 3;

    /** Maximum number of whole values listed; for more, and for fractions, the range is shown. */
    private static final int VALUES_MAX = 4;

    /** An unsigned figure that is not part of a name or command. */
    private static final Pattern FIGURE = Pattern.compile("(?<![\\w.+=\\[-])\\d+(,\\d{3})*(\\.\\d+)?(?!\\w|\\.\\d)");

    private static final Pattern RANGE_FROM = Pattern.compile(" to \\d");
    private static final Pattern RANGE_TO = Pattern.compile("\\d to $");
    private static final Pattern SOURCES = Pattern.compile(", by \\d+ published sources?: (.*?)(\\.?)$");

    /** Returns remarks on the runs of a scenario, each text once. */
    public static List<Remark> of(ScenarioResult scenario, Function<RunResult, List<String>> texts) {
        Map<String, Map<String, Set<RunResult>>> alike = new LinkedHashMap<>();
        Set<String> sources = new LinkedHashSet<>();
        for (RunResult run : scenario.runs()) {
            for (String text : texts.apply(run)) {
                String told = withoutSources(text, sources);
                alike.computeIfAbsent(FIGURE.matcher(told).replaceAll("#"), key -> new LinkedHashMap<>())
                        .computeIfAbsent(told, key -> Collections.newSetFromMap(new IdentityHashMap<>()))
                        .add(run);
            }
        }
        List<Remark> remarks = new ArrayList<>();
        alike.values().forEach(runsByText -> remarks.add(inOne(scenario, runsByText)));
        if (!sources.isEmpty()) {
            remarks.add(new Remark(sourcesInWords(sources), ALL));
        }
        return remarks;
    }

    /** Returns a sentence on accuracy without the sources at its end. */
    public static String withoutSources(String sentence, Set<String> sources) {
        Matcher matcher = SOURCES.matcher(sentence);
        if (!matcher.find()) {
            return sentence;
        }
        sources.addAll(List.of(matcher.group(1).split("(?<=\\)), ")));
        return sentence.substring(0, matcher.start()) + matcher.group(2);
    }

    /** Formats sources of accuracy ranges. */
    public static String sourcesInWords(Set<String> sources) {
        return "Sources of accuracy: " + String.join(", ", sources) + ".";
    }

    /** Merges texts that differ only in figures: with all values, or the first text with the number of the others. */
    private static Remark inOne(ScenarioResult scenario, Map<String, Set<RunResult>> runsByText) {
        String first = runsByText.keySet().iterator().next();
        List<RunResult> runs = scenario.runs().stream()
                .filter(run -> runsByText.values().stream().anyMatch(those -> those.contains(run)))
                .toList();
        List<TreeSet<String>> values = new ArrayList<>();
        FIGURE.matcher(first)
                .results()
                .forEach(figure -> values.add(
                        new TreeSet<>(Comparator.comparing(value -> new BigDecimal(value.replace(",", ""))))));
        for (String text : runsByText.keySet()) {
            Matcher figure = FIGURE.matcher(text);
            for (int i = 0; figure.find(); i++) {
                values.get(i).add(figure.group());
            }
        }
        if (values.stream().filter(of -> of.size() > 1).count() > FIGURES_MAX) {
            String one = scenario.names().withGpus(runs.get(0));
            List<RunResult> others = runs.subList(1, runs.size());
            String those = words(scenario, others.size() <= NAMED_MAX ? others : runs);
            return new Remark(
                    first,
                    one + " and " + others.size() + " more like it" + (those.startsWith(one) ? "" : ": " + those));
        }
        Iterator<TreeSet<String>> next = values.iterator();
        return new Remark(
                FIGURE.matcher(first).replaceAll(figure -> words(next.next(), first, figure)), words(scenario, runs));
    }

    /** Formats the values of a figure; if the text has a range, its lowest start or highest end. */
    private static String words(TreeSet<String> values, String text, MatchResult figure) {
        if (values.size() == 1
                || RANGE_TO.matcher(text.substring(0, figure.start())).find()) {
            return values.last();
        }
        if (RANGE_FROM.matcher(text.substring(figure.end())).lookingAt()) {
            return values.first();
        }
        return values.size() <= VALUES_MAX && values.stream().noneMatch(value -> value.contains("."))
                ? String.join(", ", values.headSet(values.last())) + " or " + values.last()
                : values.first() + " to " + values.last();
    }

    /** Describes runs: all; all of some sizes; all of some series; or one by one. */
    private static String words(ScenarioResult scenario, List<RunResult> runs) {
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
        List<Map.Entry<String, List<RunResult>>> series = scenario.series().entrySet().stream()
                .filter(one -> those.containsAll(one.getValue()))
                .toList();
        if (series.stream().mapToInt(one -> one.getValue().size()).sum() == runs.size() && series.size() <= NAMED_MAX) {
            return series.stream().map(Map.Entry::getKey).collect(Collectors.joining("; "));
        }
        return runs.size() <= NAMED_MAX
                ? String.join(
                        "; ", runs.stream().map(scenario.names()::withGpus).toList())
                : scenario.names().withGpus(runs.get(0)) + " and " + (runs.size() - 1) + " more runs";
    }
}
