package io.shardsim.reports.writing.html;

import io.shardsim.reports.RunMeters;
import io.shardsim.reports.ScenarioResult;
import java.util.List;

/** Writes the report of a scenario as one HTML file. */
public final class HtmlReport {
    private HtmlReport() {}

    /**
     * Returns the page as text.
     *
     * @param meters readings of the program's metrics; may be empty
     */
    public static String write(ScenarioResult result, List<RunMeters.Reading> meters) {
        ReportPage page = new ReportPage(result, meters);
        return PageWriter.write("report.jte", page, page.scenario(), page.figures());
    }
}
