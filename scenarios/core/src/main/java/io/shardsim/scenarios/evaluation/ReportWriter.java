package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes results. */
public interface ReportWriter {

    /** Returns the file names of a report, relative to its folder. */
    List<String> files();

    /**
     * Writes the report of one scenario.
     *
     * @param directory an existing folder
     * @return the files, the one to open first
     */
    List<Path> write(Path directory, ScenarioResult result) throws IOException;

    /**
     * Writes each figure of the report as SVG, for slides and LaTeX.
     *
     * @param directory an existing folder
     * @return the number of files
     */
    int writeFigures(Path directory, ScenarioResult result) throws IOException;

    /** Returns a part of the terminal output; empty if there is nothing to say. */
    String text(ScenarioResult result, TextStyle style, SummaryTable.Part part);

    /** Returns the result document of all scenarios. */
    String json(List<ScenarioResult> results);
}
