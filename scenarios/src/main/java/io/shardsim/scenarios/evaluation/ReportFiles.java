package io.shardsim.scenarios.evaluation;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardsim.reports.RunMeters;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.ResultsCsv;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import io.shardsim.reports.writing.html.HtmlReport;
import io.shardsim.reports.writing.html.SvgFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A report as files: {@code report.html}, {@code results.json}, {@code results.csv}. */
public final class ReportFiles implements ReportWriter {
    @Override
    public List<Path> write(Path directory, ScenarioResult result) {
        Path json = directory.resolve("results.json");
        ResultsJson.writeTo(json, result);
        Path csv = directory.resolve("results.csv");
        ResultsCsv.writeTo(csv, result);
        Path html = directory.resolve("report.html");
        HtmlReport.writeTo(html, result, meters(result));
        return List.of(html, json, csv);
    }

    @Override
    public int writeFigures(Path directory, ScenarioResult result) throws IOException {
        Map<String, String> files = SvgFigures.of(result);
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(directory.resolve(file.getKey()), file.getValue());
        }
        return files.size();
    }

    /** What the program's meters read after these runs. */
    private static List<RunMeters.Reading> meters(ScenarioResult result) {
        RunMeters meters = new RunMeters();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        meters.bindTo(registry);
        result.runs().forEach(meters::finished);
        return RunMeters.readings(registry);
    }

    @Override
    public String text(ScenarioResult result, TextStyle style) {
        return SummaryTable.write(result, style);
    }

    @Override
    public String json(List<ScenarioResult> results) {
        return ResultsJson.write(results);
    }
}
