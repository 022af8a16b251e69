package io.shardsim.reports.writing;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

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
    /** Longer keys, or those beyond a third of the line, would cost figures. */
    private static final int KEY_WIDTH_MAX = 40;

    private final ScenarioResult scenario;
    private final List<RunResult> runs;
    private final RunNames names;
    private final int width;

    private RunsTable(ScenarioResult scenario, int width) {
        this.scenario = scenario;
        this.width = width;
        runs = scenario.runs();
        names = new RunNames(scenario);
    }

    /** The table and what there is to say about its columns, each line ended. */
    static String write(ScenarioResult scenario, int width) {
        return new RunsTable(scenario, width).write();
    }

    private String write() {
        int longestKey = Math.max(KEY_WIDTH_MAX, width / 3);
        List<TableColumn> all = RunColumns.of(scenario).stream()
                .map(column -> column.key() ? column.inShort(longestKey) : column)
                .toList();
        List<TableColumn> columns = dropped(all, RunColumns.DROPPABLE, width);
        List<TableColumn> fitting = widthOf(columns) <= width ? columns : withShortKeys(all, columns);
        StringBuilder out = new StringBuilder();
        List<TableColumn> shown = widthOf(fitting) <= width ? fitting : figuresAlone(all);
        if (shown == fitting) {
            lines(out, shown, "");
        } else {
            namesAbove(
                    out,
                    shown,
                    all.stream()
                            .filter(TableColumn::key)
                            .map(TableColumn::words)
                            .toList());
        }
        legend(out, all, shown);
        return out.toString();
    }

    private static int widthOf(List<TableColumn> columns) {
        return columns.stream()
                        .mapToInt(column -> column.width() + GAP.length())
                        .sum()
                - GAP.length();
    }

    /** Without the columns that are given up for a width, those of the highest rank first, down to a rank. */
    private static List<TableColumn> dropped(List<TableColumn> all, int leastRank, int width) {
        List<TableColumn> columns = new ArrayList<>(all);
        while (widthOf(columns) > width) {
            int rank = columns.stream().mapToInt(TableColumn::rank).max().orElse(0);
            if (rank < leastRank) {
                break;
            }
            columns.removeIf(column -> column.rank() == rank);
        }
        return columns;
    }

    /** Keys in short, the widest first, until the columns fit or no key can be shortened further. */
    private List<TableColumn> shortened(List<TableColumn> columns) {
        List<TableColumn> shorter = new ArrayList<>(
                columns.stream().map(TableColumn::underShortName).toList());
        List<Integer> widestFirst = IntStream.range(0, columns.size())
                .filter(i -> columns.get(i).key() && !columns.get(i).number())
                .boxed()
                .sorted((a, b) -> shorter.get(b).width() - shorter.get(a).width())
                .toList();
        for (int i : widestFirst) {
            int excess = widthOf(shorter) - width;
            if (excess > 0) {
                TableColumn column = shorter.get(i);
                shorter.set(i, column.inShort(Math.max(KEY_WIDTH_MIN, column.width() - excess)));
            }
        }
        return shorter;
    }

    /** With the keys as short as they must be, and the figures that then have room. */
    private List<TableColumn> withShortKeys(List<TableColumn> all, List<TableColumn> columns) {
        List<TableColumn> shorter = new ArrayList<>(
                shortened(columns).stream().filter(TableColumn::key).toList());
        all.stream().filter(column -> !column.key()).forEach(shorter::add);
        return dropped(shorter, RunColumns.DROPPABLE, width);
    }

    private List<TableColumn> figuresAlone(List<TableColumn> all) {
        List<TableColumn> figures = all.stream().filter(column -> !column.key()).toList();
        return dropped(figures, 1, width - INDENT.length());
    }

    private void lines(StringBuilder out, List<TableColumn> columns, String indent) {
        head(out, columns, indent);
        for (int row = 0; row < runs.size(); row++) {
            line(out, columns, row, indent);
        }
    }

    /** The name of each run on a line of its own, its figures below. */
    private void namesAbove(StringBuilder out, List<TableColumn> figures, List<String> keyNames) {
        PlainText.wrapped(out, String.join(", ", keyNames), INDENT, width);
        head(out, figures, INDENT);
        for (int row = 0; row < runs.size(); row++) {
            PlainText.wrapped(out, names.of(runs.get(row)), INDENT, width);
            line(out, figures, row, INDENT);
        }
    }

    private static void head(StringBuilder out, List<TableColumn> columns, String indent) {
        line(out, columns, TableColumn::name, indent);
        if (columns.stream().anyMatch(column -> !column.unit().isEmpty())) {
            line(out, columns, TableColumn::unit, indent);
        }
        out.append("-".repeat(indent.length() + widthOf(columns))).append('\n');
    }

    private static void line(StringBuilder out, List<TableColumn> columns, int row, String indent) {
        line(out, columns, column -> column.cells().get(row), indent);
    }

    private static void line(
            StringBuilder out, List<TableColumn> columns, Function<TableColumn, String> text, String indent) {
        StringBuilder line = new StringBuilder(indent);
        for (TableColumn column : columns) {
            String cell = text.apply(column);
            String space = " ".repeat(column.width() - cell.length());
            line.append(column.number() ? space + cell : cell + space).append(GAP);
        }
        out.append(line.toString().stripTrailing()).append('\n');
    }

    /** What days and dollars are for, and which columns had to go. */
    private void legend(StringBuilder out, List<TableColumn> all, List<TableColumn> shown) {
        List<String> left = all.stream()
                .filter(column -> !column.key() && !shown.contains(column))
                .map(TableColumn::words)
                .toList();
        if (shown.stream().anyMatch(column -> column.name().equals(RunColumns.DAYS))) {
            runs.stream()
                    .filter(run ->
                            run.training() != null && !run.training().costs().isEmpty())
                    .findFirst()
                    .ifPresent(run -> PlainText.wrapped(
                            out,
                            "days and USD: "
                                    + Quantities.count(Math.round(
                                            RunColumns.longest(run.step()).tokens() * 1e-9))
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
