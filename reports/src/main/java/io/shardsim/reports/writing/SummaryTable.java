package io.shardsim.reports.writing;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Subject;
import io.shardsim.reports.writing.StyledText.Look;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The terminal output: what was run, one row per run, then the reasons. Lines fit the width unless a word is wider. */
public final class SummaryTable {
    /** Parts shown in sequence, each as soon as it is known. */
    public enum Part {
        /** The runs, why the best one is as fast as it is, and caveats. */
        ANSWER,
        /** How far it is ahead, and why. */
        COMPARISONS,
        /** Results of other settings and of alternatives to assumptions. */
        TRIALS
    }

    private SummaryTable() {}

    /** Returns the whole text. */
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
