package io.shardsim.reports.replay;

import io.shardsim.reports.PageFiles;
import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.html.Glossary;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Files of the teaching page, including the report's charts; its style sheet starts with the colours of streams, shared with the report. */
public final class ReplayPage {
    private static final PageFiles FILES = new PageFiles(ReplayPage.class, "", "page.css", StreamLook.variables());

    /** The report's chart scripts, in order, with their locations. */
    private static final Map<String, PageFiles> CHARTS = new TreeMap<>(Map.of(
            "echarts.min.js", beside("/META-INF/resources/webjars/echarts/5.3.1/dist/"),
            "report.js", beside("/io/shardsim/reports/writing/html/")));

    private static final String GLOSSARY = "glossary.js";

    private ReplayPage() {}

    private static PageFiles beside(String folder) {
        return new PageFiles(ReplayPage.class, folder, "", "");
    }

    /** Returns names of the chart scripts, in the order in which they run. */
    static Set<String> charts() {
        return CHARTS.keySet();
    }

    /** Returns the file of a name; null if there is none. */
    public static PageFiles.@Nullable Asset asset(String name) {
        if (name.equals(GLOSSARY)) {
            String terms = "export const GLOSSARY = " + ReplayJson.text(Glossary.terms()) + ";\n";
            return new PageFiles.Asset(PageFiles.SCRIPT, terms.getBytes(StandardCharsets.UTF_8));
        }
        return CHARTS.getOrDefault(name, FILES).asset(name);
    }
}
