package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes results down. */
public interface ReportWriter {

    /** Names of the files of a report, in its folder. */
    List<String> files();

    /**
     * Writes the report of one scenario.
     *
     * @param directory exists
     * @return the files, the one to open first first
     */
    List<Path> write(Path directory, ScenarioResult result) throws IOException;

    /**
     * Writes each figure of the report as SVG, for slides and LaTeX.
     *
     * @param directory exists
     * @return how many files
     */
    int writeFigures(Path directory, ScenarioResult result) throws IOException;

    /** A part of what the terminal shows; empty where it says nothing. */
    String text(ScenarioResult result, TextStyle style, SummaryTable.Part part);

    /** The result document of all scenarios. */
    String json(List<ScenarioResult> results);
}
