package io.shardsim.reports.writing.html;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import io.shardsim.reports.RunMeters;
import io.shardsim.reports.ScenarioResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Writes the report of a scenario as one HTML file. */
public final class HtmlReport {
    private static final JsonMapper MAPPER = new JsonMapper();

    private HtmlReport() {}

    /**
     * The page as text.
     *
     * @param meters readings of the program's meters; may be empty
     */
    public static String write(ScenarioResult result, List<RunMeters.Reading> meters) {
        ReportPage page = new ReportPage(result, meters);
        ChartScript script = ChartScript.instance();
        TemplateEngine engine = TemplateEngine.createPrecompiled(ContentType.Html);
        StringOutput output = new StringOutput(1 << 20);
        engine.render(
                "report.jte",
                Map.of(
                        "page",
                        page,
                        "style",
                        Palette.variables() + ChartScript.text("report.css"),
                        "policy",
                        script.policy(),
                        "boot",
                        script.boot(),
                        "charts",
                        script.packed(),
                        "figures",
                        ChartScript.pack(MAPPER.writeValueAsString(document(page)))),
                output);
        return output.toString();
    }

    /** What {@code report.js} draws from. */
    static Map<String, Object> document(ReportPage page) {
        Map<String, Object> figures = new LinkedHashMap<>();
        page.figures().forEach(figure -> figures.put(figure.id(), figure.document()));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("scenario", page.scenario());
        document.put("palette", Palette.document());
        document.put("figures", figures);
        return document;
    }
}
