package io.shardsim.reports.writing;

import io.shardsim.reports.AroundTheStep;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.StyledText.Look;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The terminal's table: a column for each key that varies, then figures. Values shared by all runs are left out. The fastest row is marked {@code *},
 * the cheapest {@code $}.
 *
 * <p>On a narrow terminal, utilization is dropped first, then other ratios; keys are shortened as far as rows stay distinct, or get a line above
 * their figures. Time, throughput, memory, days and dollars are dropped last. Dropped columns are named below the table.
 */
final class RunsTable {
    private static final String GAP = "  ";
    private static final String INDENT = "  ";
    private static final int KEY_WIDTH_MIN = 6;
    /** Maximum number of runs named in a legend. */
    private static final int BEYOND_MAX = 3;
    /** Maximum width of keys; longer keys, or those beyond a third of the line, would cost figures. */
    private static final int KEY_WIDTH_MAX = 40;

    private final ScenarioResult scenario;
    private final RowChoice choice;
    private final List<RunResult> rows;
    private final StyledText out;
    private final int markWidth;
    /** Width left without the marks. */
    private final int width;

    private RunsTable(ScenarioResult scenario, RowChoice choice, StyledText out) {
        this.scenario = scenario;
        this.choice = choice;
        this.out = out;
        rows = choice.all();
        markWidth = choice.markWidth();
        width = out.style().width() - (markWidth == 0 ? 0 : markWidth + 1);
    }

    /** Writes the table and remarks on its columns. */
    static void write(ScenarioResult scenario, RowChoice choice, StyledText out) {
        new RunsTable(scenario, choice, out).write();
    }

    private void write() {
        int longestKey = Math.max(KEY_WIDTH_MAX, width / 3);
        List<TableColumn> all = new ArrayList<>(RunColumns.of(scenario, rows).stream()
                .map(column -> column.key() ? column.inShort(longestKey) : column)
                .toList());
        List<TableColumn> alike = choice.isPart()
                ? all.stream().filter(column -> column.key() && isAlike(column)).toList()
                : List.of();
        all.removeAll(alike);
        List<TableColumn> columns = dropped(all, RunColumns.DROPPABLE, width);
        sayWhatIsAlike(alike);
        List<TableColumn> brief = all.stream()
                .map(column -> column.name().equals(RunColumns.STRATEGY) ? withKinds(column) : column)
                .map(TableColumn::underShortName)
                .toList();
        List<TableColumn> shown = Stream.<Supplier<List<TableColumn>>>of(
                        () -> columns,
                        () -> dropped(brief, RunColumns.DROPPABLE, width),
                        () -> withLetters(brief),
                        () -> withShortKeys(all, columns))
                .map(Supplier::get)
                .filter(some -> widthOf(some) <= width)
                .findFirst()
                .orElse(columns);
        if (widthOf(shown) <= width) {
            sayWhatLettersAre(shown, all);
            lines(shown);
        } else {
            shown = figuresAlone(all);
            namesAbove(
                    shown,
                    all.stream()
                            .filter(TableColumn::key)
                            .map(TableColumn::words)
                            .toList());
        }
        legend(all, shown);
    }

    private static boolean isAlike(TableColumn column) {
        return column.cells().stream().distinct().count() == 1;
    }

    private void sayWhatIsAlike(List<TableColumn> alike) {
        if (!alike.isEmpty()) {
            out.paragraph(
                    alike.stream()
                            .map(column -> column.words() + " " + column.cells().get(0))
                            .collect(Collectors.joining(", ", "All of these: ", "")),
                    Look.PLAIN);
        }
    }

    private static int widthOf(List<TableColumn> columns) {
        return columns.stream()
                        .mapToInt(column -> column.width() + GAP.length())
                        .sum()
                - GAP.length();
    }

    /** Returns columns reduced to a width by dropping the highest ranks first, down to a rank. */
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

    /** Returns the column with strategies by their kind, if rows stay distinct. */
    private TableColumn withKinds(TableColumn strategies) {
        List<String> kinds =
                rows.stream().map(run -> run.facts().sharding().kind()).toList();
        return distinct(kinds) < distinct(strategies.cells()) ? strategies : strategies.with(kinds);
    }

    private static long distinct(List<String> cells) {
        return cells.stream().distinct().count();
    }

    /** Shortens keys, widest first, until the columns fit or no key can be shortened further. */
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

    /** Returns the columns with keys as short as needed, and the figures that then fit. */
    private List<TableColumn> withShortKeys(List<TableColumn> all, List<TableColumn> columns) {
        List<TableColumn> shorter = new ArrayList<>(
                shortened(columns).stream().filter(TableColumn::key).toList());
        all.stream().filter(column -> !column.key()).forEach(shorter::add);
        return dropped(shorter, RunColumns.DROPPABLE, width);
    }

    /** Returns the columns with letters for keys whose names are wider than their values. */
    private List<TableColumn> withLetters(List<TableColumn> all) {
        List<TableColumn> shorter = new ArrayList<>();
        char letter = 'a';
        for (TableColumn column : all) {
            boolean replaced = column.key() && column.under(letter).width() < column.width();
            shorter.add(replaced ? column.under(letter++) : column);
        }
        return dropped(shorter, RunColumns.DROPPABLE, width);
    }

    private void sayWhatLettersAre(List<TableColumn> shown, List<TableColumn> all) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < shown.size(); i++) {
            if (shown.get(i).key() && shown.get(i).name().length() == 1) {
                words.add(shown.get(i).name() + " " + all.get(i).words());
            }
        }
        if (!words.isEmpty()) {
            out.paragraph(String.join(", ", words), Look.TITLE);
        }
    }

    private List<TableColumn> figuresAlone(List<TableColumn> all) {
        List<TableColumn> figures = all.stream().filter(column -> !column.key()).toList();
        return dropped(figures, 1, width - INDENT.length());
    }

    private void lines(List<TableColumn> columns) {
        head(columns, "");
        for (int row = 0; row < rows.size(); row++) {
            sayWhereTheFrontBegins(row);
            row(columns, row, "");
        }
    }

    /** Writes each run's name on its own line, with its figures below. */
    private void namesAbove(List<TableColumn> figures, List<String> keyNames) {
        RunNames names = scenario.names();
        out.paragraph(String.join(", ", keyNames), Look.TITLE);
        head(figures, INDENT);
        for (int row = 0; row < rows.size(); row++) {
            sayWhereTheFrontBegins(row);
            out.paragraph(names.of(rows.get(row)), look(row));
            row(figures, row, INDENT);
        }
    }

    private void sayWhereTheFrontBegins(int row) {
        if (row == choice.best().size()) {
            out.paragraph("days vs. USD, no run is both faster and cheaper than these:", Look.PLAIN);
        }
    }

    private void head(List<TableColumn> columns, String indent) {
        head(columns, TableColumn::name, indent);
        if (columns.stream().anyMatch(column -> !column.unit().isEmpty())) {
            head(columns, TableColumn::unit, indent);
        }
    }

    private void head(List<TableColumn> columns, Function<TableColumn, String> text, String indent) {
        out.line((marks("") + indent + cells(columns, text)).stripTrailing(), Look.TITLE);
    }

    private void row(List<TableColumn> columns, int row, String indent) {
        String cells = cells(columns, column -> column.cells().get(row));
        out.line((marks(choice.mark(rows.get(row))) + indent + cells).stripTrailing(), look(row));
    }

    private Look look(int row) {
        return choice.isFastest(rows.get(row)) ? Look.BEST : Look.PLAIN;
    }

    private String marks(String mark) {
        return markWidth == 0 ? "" : " ".repeat(markWidth - mark.length()) + mark + " ";
    }

    private static String cells(List<TableColumn> columns, Function<TableColumn, String> text) {
        StringBuilder line = new StringBuilder();
        for (TableColumn column : columns) {
            String cell = text.apply(column);
            String space = " ".repeat(column.width() - cell.length());
            line.append(column.number() ? space + cell : cell + space).append(GAP);
        }
        return line.toString();
    }

    /** Writes the legend: marks, days and dollars, where the rest of the table is, and which columns were dropped. */
    private void legend(List<TableColumn> all, List<TableColumn> shown) {
        List<String> parts = new ArrayList<>();
        if (choice.isPart()) {
            parts.add("the best " + choice.best().size() + " of "
                    + scenario.runs().size() + " points; results.csv has all");
        }
        parts.addAll(choice.legend());
        if (shown.stream().anyMatch(column -> column.name().equals(RunColumns.DAYS))) {
            rows.stream()
                    .filter(run -> run.cost() != null)
                    .map(RunsTable::days)
                    .distinct()
                    .forEach(parts::add);
        }
        if (shown.stream().anyMatch(column -> column.name().equals(RunColumns.SCALING))) {
            parts.addAll(scaling());
        }
        List<String> left = all.stream()
                .filter(column -> !column.key() && !shown.contains(column))
                .map(TableColumn::words)
                .toList();
        if (!left.isEmpty()) {
            parts.add("not shown: " + String.join(", ", left).replace(" %", ""));
        }
        if (!parts.isEmpty()) {
            out.paragraph(String.join("; ", parts), Look.ASIDE);
        }
    }

    /** Explains the base of scaling, and why some of it is superlinear. */
    private List<String> scaling() {
        List<String> words = new ArrayList<>();
        List<RunResult> scaled =
                rows.stream().filter(run -> run.scaling() != null).toList();
        ScalingEfficiency any = Objects.requireNonNull(scaled.get(0).scaling());
        words.add("scaling relative to " + Quantities.counted(any.baselineGpus(), "GPU")
                + (scaled.stream().anyMatch(run -> scaling(run).otherMicroBatch()) ? ", ^ other micro-batch" : ""));
        if (rows.stream().anyMatch(run -> run.training() != null && run.scaling() == null)) {
            words.add("scaling -: no headroom on the base cluster");
        }
        List<RunResult> beyond =
                scaled.stream().filter(run -> !scaling(run).cause().isEmpty()).toList();
        if (!beyond.isEmpty()) {
            words.add("> 105 %: "
                    + beyond.stream()
                            .limit(BEYOND_MAX)
                            .map(run -> scenario.names().withGpus(run) + " ("
                                    + scaling(run).cause() + ")")
                            .collect(Collectors.joining(", "))
                    + (beyond.size() > BEYOND_MAX
                            ? " and " + (beyond.size() - BEYOND_MAX) + " more, scaling_cause in results.json"
                            : ""));
        }
        return words;
    }

    private static ScalingEfficiency scaling(RunResult run) {
        return Objects.requireNonNull(run.scaling());
    }

    private static String days(RunResult run) {
        AroundTheStep around = AroundTheStep.of(run);
        return "days and USD: "
                + Quantities.shortTokens(Objects.requireNonNull(run.cost()).tokens()) + " tokens "
                + run.facts().cluster().instance().price().terms()
                + (around == null || around.goodput() == null ? "" : ", including failures");
    }
}
