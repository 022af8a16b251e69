package io.shardsim.reports.writing;

import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.Remark;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.StrategyComparison;
import io.shardsim.reports.Subject;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the terminal shows: what was run, one row per run, then the reasons in words. Plain text without escape sequences, at most as wide as asked
 * but for a word that is wider.
 */
public final class SummaryTable {
    private static final int WIDTH_MIN = 40;

    private SummaryTable() {}

    /**
     * @param width characters that a line may have
     */
    public static String write(ScenarioResult scenario, int width) {
        int columns = Math.max(WIDTH_MIN, width);
        StringBuilder out = new StringBuilder();
        PlainText.wrapped(out, String.join("; ", Subject.shared(scenario)), "  ", columns);
        out.append('\n').append(RunsTable.write(scenario, columns));
        reasons(out, scenario, columns);
        remarks(out, scenario, columns);
        return out.toString();
    }

    private static void reasons(StringBuilder out, ScenarioResult scenario, int width) {
        out.append('\n');
        List<String> comparisons = StrategyComparison.headlines(scenario);
        comparisons.forEach(sentence -> PlainText.wrapped(out, sentence, "", width));
        if (!comparisons.isEmpty()) {
            out.append('\n');
        }
        scenario.series().forEach((name, runs) -> {
            RunResult run = ScenarioResult.largestThatFits(runs);
            Diagnosis diagnosis = Diagnosis.of(run);
            PlainText.wrapped(
                    out, name + ", " + Quantities.counted(run.gpus(), "GPU") + ": " + diagnosis.why(), "  ", width);
            if (!diagnosis.next().isEmpty()) {
                PlainText.wrapped(out, "  Next: " + diagnosis.next(), "  ", width);
            }
            Diagnosis.further(run).forEach(sentence -> PlainText.wrapped(out, "  " + sentence, "  ", width));
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
        Remark.of(scenario, run -> run.facts().notes()).forEach(remark -> lines.add(line("note", remark)));
        if (!lines.isEmpty()) {
            out.append('\n');
        }
        lines.forEach(line -> PlainText.wrapped(out, line, "  ", width));
    }

    private static String line(String kind, Remark remark) {
        return kind + (remark.runs().equals(Remark.ALL) ? ": " : ", " + remark.runs() + ": ") + remark.text();
    }
}
