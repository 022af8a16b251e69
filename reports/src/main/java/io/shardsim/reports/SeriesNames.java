package io.shardsim.reports;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Names of series: what varies between them, without what all share. A single series is named by its strategy or its collective. Common parts are
 * computed once: a sweep may have ten thousand series.
 */
final class SeriesNames {
    private static final String GROUP = " (shard group ";

    /**
     * A name in two parts, either of which may be empty.
     *
     * @param strategy strategy or collective, with the settings needed to distinguish it
     * @param settings other varying settings
     */
    record Name(String strategy, List<String> settings) {
        String words() {
            List<String> parts = new ArrayList<>(settings);
            if (!strategy.isEmpty()) {
                parts.add(0, strategy);
            }
            return String.join(", ", parts);
        }
    }

    private final List<List<RunResult>> all;
    private final SweptKeys keys;
    /** Full labels by short label. */
    private final Map<String, Set<String>> labels = new HashMap<>();
    /** Strategies with a series whose shard group is smaller than all ranks. */
    private final Set<Strategy> withGroups = new HashSet<>();

    /** A kind of strategy by its short label, without the shard group. */
    private record Strategy(String kind, String brief) {}

    private SeriesNames(List<List<RunResult>> all) {
        this.all = all;
        keys = SweptKeys.of(all.stream().flatMap(List::stream).toList());
        for (List<RunResult> series : all) {
            String brief = shortLabel(series);
            labels.computeIfAbsent(brief, first -> new HashSet<>()).add(label(series));
            int group = brief.indexOf(GROUP);
            if (group >= 0) {
                withGroups.add(new Strategy(series.get(0).facts().sharding().kind(), brief.substring(0, group)));
            }
        }
    }

    /** Returns the name of each series, in the order of the series, each given smallest cluster first. */
    static List<Name> of(List<List<RunResult>> all) {
        SeriesNames names = new SeriesNames(all);
        List<String> bases = names.bases();
        List<Name> plain = IntStream.range(0, all.size())
                .mapToObj(i -> new Name(bases.get(i), names.settings(all.get(i))))
                .toList();
        Map<Name, List<Integer>> alike =
                IntStream.range(0, all.size()).boxed().collect(Collectors.groupingBy(plain::get));
        Name[] told = new Name[all.size()];
        alike.values().forEach(rivals -> {
            SweptKeys among =
                    SweptKeys.of(rivals.stream().map(i -> all.get(i).get(0)).toList());
            rivals.forEach(i -> told[i] = names.told(all.get(i), plain.get(i), among));
        });
        return List.of(told);
    }

    /** Returns each series' short strategy label, or the full one where short ones collide; empty if all are equal. */
    private List<String> bases() {
        List<String> bases = all.stream().map(this::base).toList();
        boolean alike = all.size() > 1 && bases.stream().distinct().count() == 1;
        return alike ? bases.stream().map(base -> "").toList() : bases;
    }

    private String base(List<RunResult> series) {
        RunFacts.Collective bare = series.get(0).facts().collective();
        if (bare == null) {
            return strategy(series);
        }
        return all.size() == 1 && hasOneAlgorithm(series)
                ? label(series)
                : bare.kind().id();
    }

    private static boolean hasOneAlgorithm(List<RunResult> series) {
        return series.stream().map(RunResult::label).distinct().count() == 1;
    }

    private String strategy(List<RunResult> series) {
        String brief = shortLabel(series);
        boolean ambiguous = labels.getOrDefault(brief, Set.of()).size() > 1;
        return ambiguous ? label(series) : brief + wholeGroup(series, brief);
    }

    /** Returns the suffix for a shard group of all ranks, needed only if other series have smaller ones. */
    private String wholeGroup(List<RunResult> series, String brief) {
        RunFacts.Strategy own = series.get(series.size() - 1).facts().strategy();
        return own != null && withGroups.contains(new Strategy(own.kind(), brief))
                ? GROUP + own.shardGroup() + ")"
                : "";
    }

    private List<String> settings(List<RunResult> series) {
        return keys.settingPaths().stream()
                .map(path -> keys.words(series.get(0), path))
                .filter(words -> !words.isEmpty())
                .toList();
    }

    /**
     * Returns the name extended by strategy settings that separate series of equal name; never empty.
     *
     * @param among keys that vary among them
     */
    private Name told(List<RunResult> series, Name own, SweptKeys among) {
        List<String> parts = new ArrayList<>(own.strategy().isEmpty() ? List.of() : List.of(own.strategy()));
        for (String path : among.strategyPaths()) {
            String words = among.words(series.get(0), path);
            if (!words.isEmpty()) {
                parts.add(words);
            }
        }
        Name told = new Name(String.join(", ", parts), own.settings());
        return told.words().isEmpty() ? new Name(strategy(series), List.of()) : told;
    }

    private static String label(List<RunResult> series) {
        return series.get(series.size() - 1).label();
    }

    private static String shortLabel(List<RunResult> series) {
        RunResult largest = series.get(series.size() - 1);
        RunFacts.Strategy strategy = largest.facts().strategy();
        return strategy == null ? largest.label() : strategy.shortLabel(largest.gpus());
    }
}
