package io.shardsim.reports.writing.html;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import io.shardsim.reports.writing.JsonObject;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Writes a page with its style, script and figures as one HTML file. */
final class PageWriter {
    private static final JsonMapper MAPPER = new JsonMapper();

    private PageWriter() {}

    /**
     * Returns the page as text.
     *
     * @param template layout file
     * @param page the template's model
     * @param name file name prefix of saved figures
     */
    static String write(String template, Object page, String name, List<Figure> figures) {
        ChartScript script = ChartScript.instance();
        StringOutput output = new StringOutput(1 << 20);
        TemplateEngine.createPrecompiled(ContentType.Html)
                .render(
                        template,
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
                                ChartScript.pack(MAPPER.writeValueAsString(document(name, figures)))),
                        output);
        return output.toString();
    }

    /** Returns the data that {@code report.js} draws. */
    static JsonObject document(String name, List<Figure> figures) {
        JsonObject byId = new JsonObject();
        figures.forEach(figure -> byId.with(figure.id(), figure.document()));
        return new JsonObject()
                .with("scenario", name)
                .with("palette", Palette.document())
                .with("figures", byId);
    }
}
