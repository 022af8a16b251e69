package io.shardsim.reports.writing;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Subject;
import io.shardsim.reports.writing.StyledText.Look;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the terminal shows: what was run, one row per run, then the reasons in words. At most as wide as asked but for a word that is wider.
 */
public final class SummaryTable {
    /** What is shown one after the other, each as soon as it is known. */
    public enum Part {
        /** The runs, why the best one is as fast as it is, and what to beware of. */
        ANSWER,
        /** How far it is ahead, and by what. */
        COMPARISONS,
        /** What other settings and other choices come to. */
        TRIALS
    }

    private SummaryTable() {}

    /** All of it. */
    public static String write(ScenarioResult scenario, TextStyle style) {
        return Stream.of(Part.values())
                .map(part -> write(scenario, style, part))
                .collect(Collectors.joining());
    }

    public static String write(ScenarioResult scenario, TextStyle style, Part part) {
        StyledText out = new StyledText(style);
        if (part == Part.ANSWER) {
            out.paragraph(String.join(", ", Subject.resolved(scenario)), Look.TITLE);
            RunsTable.write(scenario, RowChoice.of(scenario, style), out);
            out.gap();
        }
        if (style.full()) {
            Reasons.write(scenario, part, out);
        } else {
            Findings.write(scenario, part, out);
        }
        return out.text();
    }
}
