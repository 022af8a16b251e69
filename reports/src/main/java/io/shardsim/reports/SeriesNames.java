package io.shardsim.reports;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Names of series: what varies between them, and nothing that all of them share. A series that stands alone is named by its strategy, or by
 * its collective.
 */
final class SeriesNames {
    /**
     * A name in two parts, either of which may be empty.
     *
     * @param strategy strategy or collective, with the settings of the strategy that are needed to tell it from others
     * @param settings what else varies
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

    private SeriesNames(List<List<RunResult>> all) {
        this.all = all;
        keys = SweptKeys.of(all.stream().flatMap(List::stream).toList());
    }

    /** The name of each series, smallest cluster first, in their order. */
    static List<Name> of(List<List<RunResult>> all) {
        SeriesNames names = new SeriesNames(all);
        List<Name> plain = all.stream()
                .map(series -> new Name(names.base(series), names.settings(series)))
                .toList();
        return IntStream.range(0, all.size())
                .mapToObj(i -> names.told(all.get(i), plain.get(i), plain))
                .toList();
    }

    /** The strategy in short, in full where another one is as short; nothing where all have the same. */
    private String base(List<RunResult> series) {
        if (series.get(0).facts().collective() != null) {
            return all.size() == 1 && hasOneAlgorithm(series)
                    ? label(series)
                    : ifVarying(series, SeriesNames::collective);
        }
        return ifVarying(series, this::strategy);
    }

    private static boolean hasOneAlgorithm(List<RunResult> series) {
        return series.stream().map(RunResult::label).distinct().count() == 1;
    }

    private static String collective(List<RunResult> series) {
        RunFacts.Collective bare = series.get(0).facts().collective();
        return bare == null ? label(series) : bare.kind().id();
    }

    private String ifVarying(List<RunResult> series, Function<List<RunResult>, String> naming) {
        String own = naming.apply(series);
        return all.size() > 1
                        && all.stream().allMatch(other -> naming.apply(other).equals(own))
                ? ""
                : own;
    }

    private String strategy(List<RunResult> series) {
        String brief = shortLabel(series);
        String full = label(series);
        boolean ambiguous = all.stream()
                .anyMatch(other ->
                        shortLabel(other).equals(brief) && !label(other).equals(full));
        return ambiguous ? full : brief + wholeGroup(series, brief);
    }

    /** A group of all ranks goes without saying, unless other series have smaller ones. */
    private String wholeGroup(List<RunResult> series, String brief) {
        RunFacts.Strategy own = series.get(series.size() - 1).facts().strategy();
        if (own == null) {
            return "";
        }
        boolean others = all.stream()
                .anyMatch(other -> shortLabel(other).startsWith(brief + " (shard group ")
                        && other.get(0).facts().sharding().kind().equals(own.kind()));
        return others ? " (shard group " + own.shardGroup() + ")" : "";
    }

    private List<String> settings(List<RunResult> series) {
        return keys.settingPaths().stream()
                .map(path -> keys.words(series.get(0), path))
                .filter(words -> !words.isEmpty())
                .toList();
    }

    /** The name with those settings of the strategy by which series differ that would be named alike; never empty. */
    private Name told(List<RunResult> series, Name own, List<Name> plain) {
        List<RunResult> rivals = IntStream.range(0, all.size())
                .filter(i -> plain.get(i).equals(own))
                .mapToObj(i -> all.get(i).get(0))
                .toList();
        SweptKeys among = SweptKeys.of(rivals);
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
