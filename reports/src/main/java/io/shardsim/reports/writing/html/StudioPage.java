package io.shardsim.reports.writing.html;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.PageFiles;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.TrainingCost;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The studio's page: its files, in folder {@code studio}, and its answers, with the report's content. */
public final class StudioPage {
    private static final PageFiles FILES = new PageFiles(StudioPage.class, "studio/", "page.css", Palette.variables());

    private StudioPage() {}

    /** Returns the file of a name; null if there is none. */
    public static PageFiles.@Nullable Asset asset(String name) {
        return FILES.asset(name);
    }

    /** Returns a result as the report's sections, in maps, lists and records. */
    public static Map<String, Object> answer(ScenarioResult result) {
        ReportPage page = new ReportPage(result, List.of());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("subject", page.opening().subject());
        answer.put("lead", page.opening().lead());
        answer.put("figures", figures(page, result.fastest()));
        answer.put("range", range(result.fastest()));
        answer.put("runs", page.runs().runs());
        answer.put("comparisons", page.why().comparisons());
        answer.put("verdicts", page.why().verdicts());
        answer.put("warnings", page.why().warnings());
        answer.put("notes", page.why().notes());
        return answer;
    }

    /** Returns the report's key figures, and the training cost. */
    private static List<OpeningSection.KeyFigure> figures(ReportPage page, @Nullable RunResult fastest) {
        List<OpeningSection.KeyFigure> figures = new ArrayList<>(page.opening().keyFigures());
        TrainingCost cost = fastest == null ? null : fastest.cost();
        if (fastest != null && cost != null) {
            String tokens = "for " + Quantities.tokens(cost.tokens()) + " tokens";
            figures.add(new OpeningSection.KeyFigure(Quantities.significant(cost.days()), "days", tokens, ""));
            if (cost.hasPrice()) {
                figures.add(new OpeningSection.KeyFigure(
                        Quantities.usd(cost.usd()),
                        "",
                        "all nodes "
                                + fastest.facts().cluster().instance().price().terms() + ", " + tokens,
                        ""));
            }
        }
        return figures;
    }

    private static String range(@Nullable RunResult fastest) {
        ErrorInterval range = fastest == null ? null : fastest.facts().accuracy();
        return range == null ? "" : range.brief() + ".";
    }
}
