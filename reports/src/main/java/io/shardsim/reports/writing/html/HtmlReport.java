package io.shardsim.reports.writing.html;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import io.shardsim.reports.RunMeters;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.StreamLook;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Writes the report of a scenario as one HTML file. */
public final class HtmlReport {
    private HtmlReport() {}

    /**
     * The page as text.
     *
     * @param meters readings of the program's meters; may be empty
     */
    public static String write(ScenarioResult result, List<RunMeters.Reading> meters) {
        TemplateEngine engine = TemplateEngine.createPrecompiled(ContentType.Html);
        StringOutput output = new StringOutput(1 << 18);
        engine.render("report.jte", Map.of("page", new ReportPage(result, meters), "style", styleSheet()), output);
        return output.toString();
    }

    public static void writeTo(Path file, ScenarioResult result, List<RunMeters.Reading> meters) {
        try {
            Files.write(file, write(result, meters).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String styleSheet() {
        try (InputStream in = HtmlReport.class.getResourceAsStream("report.css")) {
            if (in == null) {
                throw new IllegalStateException("report.css is missing beside " + HtmlReport.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8) + styleOfStreams();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A bar where compute waits is hatched; a span of a lane is plain, with words on it. */
    private static String styleOfStreams() {
        StringBuilder css = new StringBuilder(StreamLook.variables());
        for (StreamLook look : StreamLook.all()) {
            css.append(
                    ".x-ID { fill: url(#p-ID); } .pb-ID, .lane-ID { fill: var(--ID); } svg .on-lane-ID { fill: var(--on-ID); }\n"
                            .replace("ID", look.id()));
        }
        return css.toString();
    }
}
