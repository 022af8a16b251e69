package io.shardsim.reports.writing.html;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.ShortNames;
import io.shardsim.reports.SweptKeys;
import io.shardsim.reports.writing.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A sweep over two or three keys as a grid of cells, with a grid for each value of the third; what does not fit is grey. If more keys vary, the
 * others are fixed at the fastest run's values.
 */
final class SweepMap {
    private static final int KEYS_MAX = 3;
    private static final int GRIDS_MAX = 9;
    private static final int ROW = 34;
    private static final int AROUND_ROWS = 112;
    private static final int NAME_MAX = 30;

    /**
     * A key that varies.
     *
     * @param value formats a run's value
     * @param values all values, in order
     */
    private record Key(String name, Function<RunResult, String> value, List<String> values) {}

    private final ScenarioResult result;
    private final RunNames names;
    private final SweptKeys swept;
    private final boolean training;
    private final boolean perGpu;

    SweepMap(ScenarioResult result) {
        this.result = result;
        names = result.names();
        swept = SweptKeys.of(result.runs());
        training = ReportPage.trains(result);
        perGpu = training
                && result.runs().stream().map(RunResult::gpus).distinct().count() > 1;
    }

    /** Returns the figure; absent if fewer than two keys vary, if nothing ran, or if all cells are equal. */
    @Nullable
    Figure figure() {
        List<Key> keys = keys();
        RunResult best = result.runs().stream()
                .filter(RunResult::fits)
                .max(Comparator.comparingDouble(this::value))
                .orElse(null);
        if (keys.size() < 2
                || best == null
                || result.runs().stream().map(this::cellWords).distinct().count() == 1) {
            return null;
        }
        List<Key> drawn = drawn(keys);
        List<RunResult> runs = result.runs().stream()
                .filter(run -> keys.stream()
                        .filter(key -> !drawn.contains(key))
                        .allMatch(
                                key -> key.value().apply(run).equals(key.value().apply(best))))
                .toList();
        return figure(drawn, keys, runs, best);
    }

    /** Returns the keys of columns, rows and grids. */
    private static List<Key> drawn(List<Key> keys) {
        List<Key> byLength = new ArrayList<>(keys);
        byLength.sort(Comparator.comparingInt((Key key) -> key.values().size()).reversed());
        List<Key> drawn = new ArrayList<>();
        keys.stream().filter(key -> key.name().equals("GPUs")).forEach(drawn::add);
        keys.stream().filter(key -> key.name().equals("strategy")).forEach(drawn::add);
        byLength.stream().filter(key -> !drawn.contains(key)).forEach(drawn::add);
        boolean three =
                drawn.size() >= KEYS_MAX && drawn.get(KEYS_MAX - 1).values().size() <= GRIDS_MAX;
        return drawn.subList(0, three ? KEYS_MAX : 2);
    }

    private List<Key> keys() {
        List<Key> keys = new ArrayList<>();
        if (result.runs().stream().map(RunResult::gpus).distinct().count() > 1) {
            keys.add(key("GPUs", run -> String.valueOf(run.gpus())));
        }
        List<String> ofStrategy = swept.paths().stream()
                .filter(path -> path.startsWith("strategy"))
                .toList();
        if (ofStrategy.size() == 1 && !ofStrategy.get(0).equals("strategy.kind")) {
            keys.add(key(swept.inWords(ofStrategy.get(0)), run -> swept.shown(run, ofStrategy.get(0))));
        } else if (!ofStrategy.isEmpty()) {
            Map<String, String> labels = strategies(ofStrategy);
            keys.add(key("strategy", run -> labels.getOrDefault(values(run, ofStrategy), "")));
        }
        for (String path : swept.settingPaths()) {
            keys.add(key(swept.inWords(path), run -> swept.shown(run, path)));
        }
        return keys;
    }

    /** Returns each strategy by its name on its largest cluster. */
    private Map<String, String> strategies(List<String> paths) {
        Map<String, RunResult> largest = new LinkedHashMap<>();
        for (RunResult run : result.runs()) {
            largest.merge(values(run, paths), run, (a, b) -> b.gpus() > a.gpus() ? b : a);
        }
        return largest.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> names.strategyOf(entry.getValue())));
    }

    private String values(RunResult run, List<String> paths) {
        return paths.stream().map(path -> swept.text(run, path)).collect(Collectors.joining(" "));
    }

    /** Returns a key with its values in run order, numbers by size. */
    private Key key(String name, Function<RunResult, String> value) {
        List<String> values = new ArrayList<>(
                new LinkedHashSet<>(result.runs().stream().map(value).toList()));
        if (values.stream().allMatch(text -> text.matches("\\d{1,9}"))) {
            values.sort(Comparator.comparingInt(Integer::parseInt));
        }
        return new Key(name, value, values);
    }

    private Figure figure(List<Key> drawn, List<Key> all, List<RunResult> runs, RunResult best) {
        Key x = drawn.get(0);
        Key y = drawn.get(1);
        Key grid = drawn.size() < KEYS_MAX ? new Key("", run -> "", List.of("")) : drawn.get(2);
        // Identical grids are merged; the cells of the first name their values.
        Map<String, List<String>> alike = new LinkedHashMap<>();
        for (String value : grid.values()) {
            String cells = of(grid, value, runs)
                    .map(run -> x.value().apply(run) + " " + y.value().apply(run) + " " + cellWords(run))
                    .collect(Collectors.joining("\n"));
            alike.computeIfAbsent(cells, first -> new ArrayList<>()).add(value);
        }
        List<JsonObject> facets = alike.values().stream()
                .map(values -> new JsonObject()
                        .with("name", grid.name().isEmpty() ? "" : grid.name() + " " + named(values))
                        .with(
                                "cells",
                                of(grid, values.get(0), runs)
                                        .map(run -> cell(x, y, run, best))
                                        .toList()))
                .toList();
        Map<String, String> shorter = ShortNames.of(y.values(), NAME_MAX);
        List<RunResult> fitting = runs.stream().filter(RunResult::fits).toList();
        JsonObject data = new JsonObject()
                .with("x", x.name())
                .with("xs", x.values())
                .with("y", y.name())
                .list("ys", y.values(), value -> shorter.getOrDefault(value, value))
                .with("unit", unit())
                .with(
                        "min",
                        Figure.number(
                                fitting.stream().mapToDouble(this::value).min().orElse(0)))
                .with("max", Figure.number(value(best)))
                .with("facets", facets);
        List<String> keys = drawn.stream().map(Key::name).toList();
        int last = keys.size() - 1;
        String by = String.join(", ", keys.subList(0, last)) + " and " + keys.get(last);
        String held = all.stream()
                .filter(key -> !drawn.contains(key))
                .map(key -> key.name() + " " + key.value().apply(best))
                .collect(Collectors.joining(", "));
        String title = (training ? "Throughput" : "Bus bandwidth") + (perGpu ? " per GPU" : "") + " by " + by
                + (held.isEmpty() ? "" : ", at " + held);
        return new Figure(
                "map",
                Figure.Kind.CELLS,
                title,
                title + "; grey does not fit in memory. Best: " + names.withGpus(best),
                ROW * y.values().size() + AROUND_ROWS,
                data,
                table(drawn, runs));
    }

    private static String named(List<String> values) {
        return values.size() > 2 ? values.get(0) + " and " + (values.size() - 1) + " more" : String.join(", ", values);
    }

    private static Stream<RunResult> of(Key grid, String value, List<RunResult> runs) {
        return runs.stream().filter(run -> grid.value().apply(run).equals(value));
    }

    private String cellWords(RunResult run) {
        return run.fits() ? words(run) : "OOM";
    }

    private List<Object> cell(Key x, Key y, RunResult run, RunResult best) {
        String name = names.withGpus(run);
        return Arrays.asList(
                x.values().indexOf(x.value().apply(run)),
                y.values().indexOf(y.value().apply(run)),
                run.fits() ? Figure.number(value(run)) : null,
                cellWords(run),
                run.fits()
                        ? name + ": " + words(run) + " " + unit() + memory(run)
                        : name + ": does not fit" + memory(run),
                run.is(best));
    }

    private static String memory(RunResult run) {
        return run.facts().memory() == null
                ? ""
                : ", " + MemoryWords.cell(run.facts().ledger().fit()) + " of "
                        + Quantities.gib(run.facts().ledger().capacityBytes());
    }

    private double value(RunResult run) {
        double speed = training ? RunBars.rate(run) : OpeningSection.speed(run);
        return training ? (perGpu ? speed / run.gpus() : speed) : speed * 1e-9;
    }

    private String words(RunResult run) {
        double value = value(run);
        return value < 1 ? Quantities.fixed(value, 3) : Quantities.significant(value);
    }

    private String unit() {
        return training ? RunBars.rateUnit(result) + (perGpu ? " per GPU" : "") : "GB/s";
    }

    private Figure.Table table(List<Key> drawn, List<RunResult> runs) {
        Columns<RunResult> columns = new Columns<>();
        drawn.forEach(key -> columns.words(key.name(), key.value()));
        return columns.figure(unit(), run -> run.fits() ? words(run) : "does not fit")
                .of(runs);
    }
}
