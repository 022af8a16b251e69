package io.shardsim.reports.replay;

import io.shardsim.reports.PageFiles;
import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.html.Glossary;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The files that the teaching page is made of, charts of the report included; its style sheet begins with the colours of streams, which the report has too. */
public final class ReplayPage {
    private static final PageFiles FILES = new PageFiles(ReplayPage.class, "", "page.css", StreamLook.variables());

    /** Scripts of the report that draw charts, in their order, and where they are. */
    private static final Map<String, PageFiles> CHARTS = new TreeMap<>(Map.of(
            "echarts.min.js", beside("/META-INF/resources/webjars/echarts/5.3.1/dist/"),
            "report.js", beside("/io/shardsim/reports/writing/html/")));

    private static final String GLOSSARY = "glossary.js";

    private ReplayPage() {}

    private static PageFiles beside(String folder) {
        return new PageFiles(ReplayPage.class, folder, "", "");
    }

    /** Names of the scripts that draw charts, in the order in which they run. */
    static Set<String> charts() {
        return CHARTS.keySet();
    }

    /** The file of this name; null when there is none. */
    public static PageFiles.@Nullable Asset asset(String name) {
        if (name.equals(GLOSSARY)) {
            String terms = "export const GLOSSARY = " + ReplayJson.text(Glossary.terms()) + ";\n";
            return new PageFiles.Asset(PageFiles.SCRIPT, terms.getBytes(StandardCharsets.UTF_8));
        }
        return CHARTS.getOrDefault(name, FILES).asset(name);
    }
}
