package io.shardsim.reports.writing;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Subject;
import io.shardsim.reports.writing.StyledText.Look;

/**
 * What the terminal shows: what was run, one row per run, then the reasons in words. At most as wide as asked but for a word that is wider.
 */
public final class SummaryTable {
    private SummaryTable() {}

    public static String write(ScenarioResult scenario, TextStyle style) {
        StyledText out = new StyledText(style);
        out.paragraph(String.join(", ", Subject.resolved(scenario)), Look.TITLE);
        RunsTable.write(scenario, RowChoice.of(scenario, style), out);
        out.gap();
        if (style.full()) {
            Reasons.write(scenario, out);
        } else {
            Findings.write(scenario, out);
        }
        return out.text();
    }
}
