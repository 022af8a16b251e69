package io.shardsim.reports.writing;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.Remark;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.StrategyComparison;
import io.shardsim.reports.TrainingCost;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the terminal shows: one row per run, then the reasons in words. Columns are aligned and carry their unit; where the terminal is too narrow
 * the least important ones go. Plain text without escape sequences, at most as wide as asked, but never narrower than its first two columns.
 */
public final class SummaryTable {
    private static final int WIDTH_MIN = 40;
    private static final String GAP = "  ";

    /** Columns are given up in falling order of rank; rank 0 stays. */
    private record Column(String name, String unit, boolean number, int rank, Function<RunResult, String> cell) {}

    private SummaryTable() {}

    /**
     * @param width characters that a line may have
     */
    public static String write(ScenarioResult scenario, int width) {
        int columns = Math.max(WIDTH_MIN, width);
        StringBuilder out = new StringBuilder();
        boolean training = scenario.runs().stream().anyMatch(run -> run.facts().training() != null);
        table(out, scenario.runs(), training ? trainingColumns(scenario) : collectiveColumns(), columns);
        reasons(out, scenario, columns);
        remarks(out, scenario, columns);
        return out.toString();
    }

    private static List<Column> trainingColumns(ScenarioResult scenario) {
        RunNames names = new RunNames(scenario);
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("strategy", "", false, 0, names::of));
        columns.add(new Column("GPUs", "", true, 0, run -> String.valueOf(run.gpus())));
        columns.add(new Column("step", "s", true, 2, step(t -> Quantities.threeDigits(t.stepSeconds()))));
        columns.add(new Column("samples/s", "", true, 0, SummaryTable::rateOrVerdict));
        columns.add(new Column(
                "TFLOPS",
                "/GPU",
                true,
                5,
                step(t -> Quantities.significant(t.flops().teraflopsPerGpu()))));
        columns.add(new Column(
                "MFU", "%", true, 4, step(t -> Quantities.fixed(100 * t.flops().mfu(), 1))));
        if (scenario.runs().stream()
                .anyMatch(run -> run.training() != null && run.training().scaling() != null)) {
            columns.add(new Column(
                    "scaling",
                    "%",
                    true,
                    3,
                    step(t -> t.scaling() == null
                            ? "-"
                            : Quantities.fixed(100 * t.scaling().efficiency(), 0))));
        }
        columns.add(new Column(
                "exposed",
                "% of step",
                true,
                1,
                step(t -> Quantities.fixed(100 * t.exposed().seconds() / t.stepSeconds(), 1))));
        columns.add(new Column(
                "memory",
                "GiB",
                true,
                6,
                run -> MemoryWords.cell(run.facts().ledger().fit())));
        columns.add(new Column(
                "batch",
                "micro x acc.",
                true,
                9,
                run -> run.facts().model().microBatch() + " x "
                        + run.facts().model().accumulationSteps()));
        columns.add(new Column("500 B tokens", "days", true, 7, cost(c -> Quantities.significant(c.days()))));
        columns.add(new Column("500 B tokens", "USD", true, 8, cost(c -> Quantities.fixed(c.usd(), 0))));
        return columns;
    }

    private static List<Column> collectiveColumns() {
        return List.of(
                new Column(
                        "collective",
                        "",
                        false,
                        0,
                        run -> run.facts().collective() == null
                                ? "-"
                                : run.facts().collective().kind().id()),
                new Column(
                        "algorithm",
                        "",
                        false,
                        2,
                        run -> run.facts().collective() == null
                                ? "-"
                                : run.facts().collective().algorithm()),
                new Column("GPUs", "", true, 0, run -> String.valueOf(run.gpus())),
                new Column(
                        "size",
                        "",
                        true,
                        1,
                        run -> run.facts().collective() == null
                                ? "-"
                                : Quantities.bytes(run.facts().collective().totalBytes())),
                new Column("time", "", true, 0, bare(speed -> Quantities.seconds(speed.seconds()))),
                new Column(
                        "algbw",
                        "GB/s",
                        true,
                        3,
                        bare(speed -> Quantities.threeDigits(speed.algorithmBytesPerSecond() * 1e-9))),
                new Column(
                        "busbw",
                        "GB/s",
                        true,
                        0,
                        bare(speed -> Quantities.threeDigits(speed.busBytesPerSecond() * 1e-9))));
    }

    private static String rateOrVerdict(RunResult run) {
        return run.training() == null
                ? "too large"
                : Quantities.significant(run.training().samplesPerSecond());
    }

    private static Function<RunResult, String> step(Function<RunResult.Training, @Nullable String> figure) {
        return run -> {
            String text = run.training() == null ? null : figure.apply(run.training());
            return text == null ? "-" : text;
        };
    }

    private static Function<RunResult, String> cost(Function<TrainingCost, String> figure) {
        return step(t -> t.costs().isEmpty()
                ? null
                : ascii(figure.apply(t.costs().get(t.costs().size() - 1))));
    }

    private static Function<RunResult, String> bare(Function<BusBandwidth, String> figure) {
        return run -> run.collective() == null ? "-" : figure.apply(run.collective());
    }

    private static void table(StringBuilder out, List<RunResult> runs, List<Column> all, int width) {
        List<Column> columns = new ArrayList<>(all);
        boolean droppable = true;
        while (droppable && widthOf(runs, columns) > width) {
            droppable = dropLast(columns);
        }
        int excess = widthOf(runs, columns) - width;
        int[] widths =
                columns.stream().mapToInt(column -> widthOf(runs, column)).toArray();
        if (excess > 0) {
            widths[0] = Math.max(8, widths[0] - excess);
        }
        line(out, columns, widths, Column::name);
        line(out, columns, widths, Column::unit);
        int total = -GAP.length();
        for (int w : widths) {
            total += w + GAP.length();
        }
        out.append("-".repeat(total)).append('\n');
        for (RunResult run : runs) {
            line(out, columns, widths, column -> column.cell().apply(run));
        }
    }

    private static boolean dropLast(List<Column> columns) {
        int rank = columns.stream().mapToInt(Column::rank).max().orElse(0);
        return rank > 0 && columns.removeIf(column -> column.rank() == rank);
    }

    private static int widthOf(List<RunResult> runs, List<Column> columns) {
        int sum = -GAP.length();
        for (Column column : columns) {
            sum += widthOf(runs, column) + GAP.length();
        }
        return sum;
    }

    private static int widthOf(List<RunResult> runs, Column column) {
        int width = Math.max(column.name().length(), column.unit().length());
        for (RunResult run : runs) {
            width = Math.max(width, printable(column.cell().apply(run)).length());
        }
        return width;
    }

    private static void line(StringBuilder out, List<Column> columns, int[] widths, Function<Column, String> text) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = printable(text.apply(columns.get(i)));
            if (cell.length() > widths[i]) {
                cell = cell.substring(0, widths[i] - 1) + "~";
            }
            String space = " ".repeat(widths[i] - cell.length());
            line.append(i == 0 ? "" : GAP).append(columns.get(i).number() ? space + cell : cell + space);
        }
        out.append(line.toString().stripTrailing()).append('\n');
    }

    private static void reasons(StringBuilder out, ScenarioResult scenario, int width) {
        out.append('\n');
        List<String> comparisons = StrategyComparison.headlines(scenario);
        comparisons.forEach(sentence -> wrapped(out, sentence, "", width));
        if (!comparisons.isEmpty()) {
            out.append('\n');
        }
        scenario.series().forEach((name, runs) -> {
            RunResult run = ScenarioResult.largestThatFits(runs);
            Diagnosis diagnosis = Diagnosis.of(run);
            wrapped(out, name + ", " + Quantities.counted(run.gpus(), "GPU") + ": " + diagnosis.why(), "  ", width);
            if (!diagnosis.next().isEmpty()) {
                wrapped(out, "  Next: " + diagnosis.next(), "  ", width);
            }
            Diagnosis.further(run).forEach(sentence -> wrapped(out, "  " + sentence, "  ", width));
        });
    }

    private static void remarks(StringBuilder out, ScenarioResult scenario, int width) {
        Set<String> lines = new LinkedHashSet<>();
        RunNames names = new RunNames(scenario);
        for (RunResult run : scenario.runs()) {
            if (!run.fits()) {
                Diagnosis diagnosis = Diagnosis.of(run);
                lines.add(("out of memory: " + names.withGpus(run) + ": " + diagnosis.why() + " " + diagnosis.next())
                        .trim());
            }
        }
        Remark.of(scenario, run -> run.facts().warnings()).forEach(remark -> lines.add(line("warning", remark)));
        Remark.of(scenario, run -> run.facts().notesBesidesAccuracy())
                .forEach(remark -> lines.add(line("note", remark)));
        if (!lines.isEmpty()) {
            out.append('\n');
        }
        lines.forEach(line -> wrapped(out, line, "  ", width));
    }

    private static String line(String kind, Remark remark) {
        return kind + (remark.runs().equals(Remark.ALL) ? ": " : ", " + remark.runs() + ": ") + remark.text();
    }

    /** Breaks at blanks; a longer word stands alone and may stick out. */
    private static void wrapped(StringBuilder out, String text, String indent, int width) {
        String line = "";
        boolean first = true;
        for (String word : printable(text).split("(?<=\\S) +")) {
            String longer = line.isEmpty() ? (first ? word : indent + word) : line + " " + word;
            if (longer.length() > width && !line.isEmpty()) {
                out.append(line).append('\n');
                longer = indent + word;
            }
            line = longer;
            first = false;
        }
        out.append(line).append('\n');
    }

    /** Text that every terminal can show and none can be steered by. */
    private static String printable(String text) {
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            out.append(c < ' ' || (c >= 0x7f && c < 0xa0) || Character.getType(c) == Character.FORMAT ? '?' : c);
        }
        return ascii(out.toString());
    }

    private static String ascii(String text) {
        return text.replace('\u2013', '-').replace('\u201c', '"').replace('\u201d', '"');
    }
}
