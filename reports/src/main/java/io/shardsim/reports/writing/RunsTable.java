package io.shardsim.reports.writing;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.ShortNames;
import io.shardsim.reports.SweptKeys;
import io.shardsim.reports.TrainingCost;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the terminal's table: a column for each key that varies, then figures. What is the same in all runs is not in it.
 *
 * <p>Where the terminal is narrow, utilization goes first, then other ratios; keys are shortened so that rows stay different, or get a line of their
 * own above their figures. Time, throughput, memory, days and dollars go last. What went is named below the table.
 */
final class RunsTable {
    private static final String GAP = "  ";
    private static final String INDENT = "  ";
    private static final int KEY_WIDTH_MIN = 6;
    /** Figures of this rank and above go where there is no room; those below only where there is none for them alone. */
    private static final int DROPPABLE = 10;

    /**
     * @param key whether it says what was run, not what came of it
     * @param rank those of the highest rank go first; those of rank 0 stay
     */
    private record Column(String name, String unit, boolean number, boolean key, int rank, List<String> cells) {
        int width() {
            int width = Math.max(name.length(), unit.length());
            for (String cell : cells) {
                width = Math.max(width, cell.length());
            }
            return width;
        }

        Column with(List<String> otherCells) {
            return new Column(name, unit, number, key, rank, otherCells);
        }

        /** The same under a shorter name, where there is one. */
        Column inShort() {
            return words().equals("activation_checkpointing")
                    ? new Column("check-", "pointing", number, key, rank, cells)
                    : this;
        }

        String words() {
            return name.endsWith("_") || unit.startsWith("/") ? name + unit : name;
        }
    }

    private final ScenarioResult scenario;
    private final List<RunResult> runs;
    private final RunNames names;
    private final SweptKeys keys;
    private final int width;

    private RunsTable(ScenarioResult scenario, int width) {
        this.scenario = scenario;
        this.width = width;
        runs = scenario.runs();
        names = new RunNames(scenario);
        keys = SweptKeys.of(runs);
    }

    /** The table and what there is to say about its columns, each line ended. */
    static String write(ScenarioResult scenario, int width) {
        return new RunsTable(scenario, width).write();
    }

    private String write() {
        boolean training = runs.stream().anyMatch(run -> run.facts().training() != null);
        List<Column> all = new ArrayList<>(training ? trainingKeys() : collectiveKeys());
        all.addAll(training ? trainingFigures() : collectiveFigures());
        List<Column> columns = dropped(all, DROPPABLE, width);
        List<Column> fitting = widthOf(columns) <= width ? columns : withShortKeys(all, columns);
        StringBuilder out = new StringBuilder();
        List<Column> shown = widthOf(fitting) <= width ? fitting : figuresAlone(all);
        if (shown == fitting) {
            lines(out, shown, "");
        } else {
            namesAbove(
                    out,
                    shown,
                    all.stream().filter(Column::key).map(Column::words).toList());
        }
        legend(out, all, shown);
        return out.toString();
    }

    // --- what a run is

    private List<Column> trainingKeys() {
        List<Column> columns = new ArrayList<>();
        List<String> strategies = cells(names::strategyOf);
        if (strategies.stream().distinct().count() > 1 || keys.settingPaths().isEmpty()) {
            columns.add(new Column("strategy", "", false, true, 0, strategies));
        }
        addSettings(columns, List.of());
        return columns;
    }

    private List<Column> collectiveKeys() {
        List<Column> columns = new ArrayList<>();
        List<String> kinds = cells(run -> bare(run).kind().id());
        if (runs.size() == 1 || kinds.stream().distinct().count() > 1) {
            columns.add(new Column("collective", "", false, true, 0, kinds));
        }
        columns.add(new Column(
                "algorithm", "", false, true, 0, cells(run -> bare(run).algorithm())));
        columns.add(new Column(
                "size",
                "",
                true,
                true,
                0,
                cells(run -> Quantities.bytes(bare(run).totalBytes()))));
        addSettings(columns, List.of("workload.collective", "workload.size", "collectives.algorithm"));
        return columns;
    }

    private void addSettings(List<Column> columns, List<String> besides) {
        for (String path : keys.settingPaths()) {
            if (!besides.contains(path)) {
                boolean number = runs.stream().allMatch(run -> keys.value(run, path) instanceof Number);
                String name = keys.name(path);
                int half = middle(name);
                columns.add(new Column(
                        name.substring(0, half),
                        name.substring(half),
                        number,
                        true,
                        0,
                        cells(run -> keys.text(run, path))));
            }
        }
    }

    /** Where a long key is broken to stand in two lines. */
    private static int middle(String key) {
        int after = key.length() < 10 ? -1 : key.indexOf('_', key.length() / 3);
        return after < 0 ? key.length() : after + 1;
    }

    private static RunFacts.Collective bare(RunResult run) {
        RunFacts.Collective bare = run.facts().collective();
        if (bare == null) {
            throw new IllegalStateException(run.facts().scenario() + " has training runs and bare collectives");
        }
        return bare;
    }

    // --- what came of it

    private List<Column> trainingFigures() {
        List<Column> columns = new ArrayList<>(gpus());
        columns.addAll(List.of(
                figure("step", "s", 4, step(t -> Quantities.threeDigits(t.stepSeconds()))),
                figure("samples/s", "", 0, RunsTable::rateOrVerdict),
                figure(
                        "TFLOPS",
                        "/GPU",
                        14,
                        step(t -> Quantities.significant(t.flops().teraflopsPerGpu()))),
                figure(
                        "MFU",
                        "%",
                        15,
                        step(t -> Quantities.fixed(100 * t.flops().mfu(), 1)))));
        if (runs.stream().anyMatch(RunsTable::isScaled)) {
            columns.add(figure("scaling", "%", 12, step(RunsTable::scaling)));
        }
        columns.add(figure(
                "exposed",
                "% of step",
                11,
                step(t -> Quantities.fixed(100 * t.exposed().seconds() / t.stepSeconds(), 1))));
        columns.add(figure(
                "memory",
                "GiB",
                3,
                run -> Quantities.gib(run.facts().ledger().peakBytes()).replace(" GiB", "")));
        columns.add(figure(
                "batch",
                "micro x acc.",
                13,
                run -> run.facts().model().microBatch() + " x "
                        + run.facts().model().accumulationSteps()));
        columns.add(figure("days", "", 2, cost(c -> Quantities.significant(c.days()))));
        columns.add(figure("USD", "", 1, cost(c -> Quantities.fixed(c.usd(), 0))));
        return columns;
    }

    private List<Column> collectiveFigures() {
        List<Column> columns = new ArrayList<>(gpus());
        columns.addAll(List.of(
                figure("time", "", 2, speed(one -> Quantities.seconds(one.seconds()))),
                figure("algbw", "GB/s", 10, speed(one -> Quantities.threeDigits(one.algorithmBytesPerSecond() * 1e-9))),
                figure("busbw", "GB/s", 0, speed(one -> Quantities.threeDigits(one.busBytesPerSecond() * 1e-9)))));
        return columns;
    }

    /** Where runs have different clusters; the title tells the size of the only one. */
    private List<Column> gpus() {
        boolean same = runs.stream().mapToInt(RunResult::gpus).distinct().count() == 1;
        return same && runs.size() > 1 ? List.of() : List.of(figure("GPUs", "", 0, run -> String.valueOf(run.gpus())));
    }

    private Column figure(String name, String unit, int rank, Function<RunResult, String> cell) {
        return new Column(name, unit, true, false, rank, cells(cell));
    }

    private static String rateOrVerdict(RunResult run) {
        return run.training() == null
                ? "too large"
                : Quantities.significant(run.training().samplesPerSecond());
    }

    /** A series of one cluster is its own baseline. */
    private static boolean isScaled(RunResult run) {
        ScalingEfficiency scaling =
                run.training() == null ? null : run.training().scaling();
        return scaling != null && run.gpus() > scaling.baselineGpus();
    }

    private static @Nullable String scaling(RunResult.Training training) {
        return training.scaling() == null
                ? null
                : Quantities.fixed(100 * training.scaling().efficiency(), 0);
    }

    private static Function<RunResult, String> step(Function<RunResult.Training, @Nullable String> figure) {
        return run -> {
            String text = run.training() == null ? null : figure.apply(run.training());
            return text == null ? "-" : text;
        };
    }

    private static Function<RunResult, String> cost(Function<TrainingCost, String> figure) {
        return step(t -> t.costs().isEmpty() ? null : figure.apply(longest(t)));
    }

    private static TrainingCost longest(RunResult.Training training) {
        return training.costs().get(training.costs().size() - 1);
    }

    private static Function<RunResult, String> speed(Function<BusBandwidth, String> figure) {
        return run -> run.collective() == null ? "-" : figure.apply(run.collective());
    }

    private List<String> cells(Function<RunResult, String> cell) {
        return runs.stream().map(cell).map(PlainText::printable).toList();
    }

    // --- what fits

    private static int widthOf(List<Column> columns) {
        return columns.stream()
                        .mapToInt(column -> column.width() + GAP.length())
                        .sum()
                - GAP.length();
    }

    /** Without the columns that are given up for a width, those of the highest rank first, down to a rank. */
    private static List<Column> dropped(List<Column> all, int leastRank, int width) {
        List<Column> columns = new ArrayList<>(all);
        while (widthOf(columns) > width) {
            int rank = columns.stream().mapToInt(Column::rank).max().orElse(0);
            if (rank < leastRank) {
                break;
            }
            columns.removeIf(column -> column.rank() == rank);
        }
        return columns;
    }

    /** Keys in short, the widest first, until the columns fit or no key can be shortened further. */
    private List<Column> shortened(List<Column> columns) {
        List<Column> shorter =
                new ArrayList<>(columns.stream().map(Column::inShort).toList());
        List<Integer> widestFirst = IntStream.range(0, columns.size())
                .filter(i -> columns.get(i).key() && !columns.get(i).number())
                .boxed()
                .sorted((a, b) -> shorter.get(b).width() - shorter.get(a).width())
                .toList();
        for (int i : widestFirst) {
            int excess = widthOf(shorter) - width;
            if (excess > 0) {
                Column column = shorter.get(i);
                var names = ShortNames.of(column.cells(), Math.max(KEY_WIDTH_MIN, column.width() - excess));
                shorter.set(
                        i,
                        column.with(column.cells().stream()
                                .map(cell -> PlainText.printable(names.getOrDefault(cell, cell)))
                                .toList()));
            }
        }
        return shorter;
    }

    /** With the keys as short as they must be, and the figures that then have room. */
    private List<Column> withShortKeys(List<Column> all, List<Column> columns) {
        List<Column> shorter =
                new ArrayList<>(shortened(columns).stream().filter(Column::key).toList());
        all.stream().filter(column -> !column.key()).forEach(shorter::add);
        return dropped(shorter, DROPPABLE, width);
    }

    private List<Column> figuresAlone(List<Column> all) {
        List<Column> figures = all.stream().filter(column -> !column.key()).toList();
        return dropped(figures, 1, width - INDENT.length());
    }

    // --- the lines

    private void lines(StringBuilder out, List<Column> columns, String indent) {
        head(out, columns, indent);
        for (int row = 0; row < runs.size(); row++) {
            line(out, columns, row, indent);
        }
    }

    /** The name of each run on a line of its own, its figures below. */
    private void namesAbove(StringBuilder out, List<Column> figures, List<String> keyNames) {
        PlainText.wrapped(out, String.join(", ", keyNames), INDENT, width);
        head(out, figures, INDENT);
        for (int row = 0; row < runs.size(); row++) {
            PlainText.wrapped(out, names.of(runs.get(row)), INDENT, width);
            line(out, figures, row, INDENT);
        }
    }

    private static void head(StringBuilder out, List<Column> columns, String indent) {
        line(out, columns, Column::name, indent);
        if (columns.stream().anyMatch(column -> !column.unit().isEmpty())) {
            line(out, columns, Column::unit, indent);
        }
        out.append("-".repeat(indent.length() + widthOf(columns))).append('\n');
    }

    private static void line(StringBuilder out, List<Column> columns, int row, String indent) {
        line(out, columns, column -> column.cells().get(row), indent);
    }

    private static void line(StringBuilder out, List<Column> columns, Function<Column, String> text, String indent) {
        StringBuilder line = new StringBuilder(indent);
        for (Column column : columns) {
            String cell = text.apply(column);
            String space = " ".repeat(column.width() - cell.length());
            line.append(column.number() ? space + cell : cell + space).append(GAP);
        }
        out.append(line.toString().stripTrailing()).append('\n');
    }

    /** What days and dollars are for, and which columns had to go. */
    private void legend(StringBuilder out, List<Column> all, List<Column> shown) {
        List<String> left = all.stream()
                .filter(column -> !column.key() && !shown.contains(column))
                .map(Column::words)
                .toList();
        if (shown.stream().anyMatch(column -> column.name().equals("days"))) {
            runs.stream()
                    .filter(run ->
                            run.training() != null && !run.training().costs().isEmpty())
                    .findFirst()
                    .ifPresent(run -> PlainText.wrapped(
                            out,
                            "days and USD: "
                                    + Quantities.count(
                                            Math.round(longest(run.step()).tokens() * 1e-9))
                                    + " billion tokens, all nodes on demand",
                            INDENT,
                            width));
        }
        if (!left.isEmpty()) {
            PlainText.wrapped(
                    out,
                    "no room at " + width + " columns for " + String.join(", ", left) + "; see results.csv",
                    INDENT,
                    width);
        }
    }
}
