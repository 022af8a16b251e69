package io.shardsim.scenarios.evaluation;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardsim.reports.RunMeters;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.ResultsCsv;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.reports.writing.html.HtmlReport;
import io.shardsim.reports.writing.html.SvgFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A report as files: {@code report.html}, {@code results.json}, {@code results.csv}. */
public final class ReportFiles implements ReportWriter {
    private static final String REPORT = "report.html";
    private static final String JSON = "results.json";
    private static final String CSV = "results.csv";

    @Override
    public List<String> files() {
        return List.of(REPORT, JSON, CSV);
    }

    @Override
    public List<Path> write(Path directory, ScenarioResult result) throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put(REPORT, HtmlReport.write(result, meters(result)));
        texts.put(JSON, ResultsJson.write(result));
        texts.put(CSV, ResultsCsv.write(result));
        WholeFiles.write(directory, texts);
        return texts.keySet().stream().map(directory::resolve).toList();
    }

    @Override
    public int writeFigures(Path directory, ScenarioResult result) throws IOException {
        Map<String, String> files = SvgFigures.of(result);
        WholeFiles.write(directory, files);
        return files.size();
    }

    /** Returns the program's metrics after these runs. */
    private static List<RunMeters.Reading> meters(ScenarioResult result) {
        RunMeters meters = new RunMeters();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        meters.bindTo(registry);
        result.runs().forEach(meters::finished);
        return RunMeters.readings(registry);
    }

    @Override
    public String text(ScenarioResult result, TextStyle style, SummaryTable.Part part) {
        return SummaryTable.write(result, style, part);
    }

    @Override
    public String json(List<ScenarioResult> results) {
        return ResultsJson.write(results);
    }
}
