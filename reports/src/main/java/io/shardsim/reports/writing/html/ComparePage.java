package io.shardsim.reports.writing.html;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * The page of a comparison: where the seconds between two runs go, and the cost of each difference, as waterfall charts whose bars sum to the gap.
 *
 * @param title the two runs
 * @param sentences results of the comparison
 * @param per what the seconds are per, for example {@code step}
 * @param parts parts of the step, in order
 * @param causes cost of each difference; empty if not simulated
 * @param differences settings that differ
 * @param timelines both steps in one figure; empty if neither is a profile
 */
public record ComparePage(
        String title,
        List<String> sentences,
        String per,
        List<Bar> parts,
        List<Bar> causes,
        Figure.Table differences,
        List<Figure> timelines) {
    private static final int HEIGHT = 330;
    private static final double PS_TO_SECONDS = 1e-12;

    /**
     * A bar.
     *
     * @param aPs time of the first run; 0 for a cause [ps]
     * @param bPs time of the second run; for a cause its cost [ps]
     */
    public record Bar(String name, long aPs, long bPs) {}

    public ComparePage {
        sentences = List.copyOf(sentences);
        parts = List.copyOf(parts);
        causes = List.copyOf(causes);
        timelines = List.copyOf(timelines);
    }

    /** Returns a table whose first column names the row. */
    public static Figure.Table table(List<String> head, List<List<String>> rows) {
        return new Figure.Table(head, Collections.nCopies(head.size(), false), rows);
    }

    /** Returns the page as text. */
    public String write() {
        List<Figure> figures = new ArrayList<>(timelines);
        figures.add(waterfall());
        if (!causes.isEmpty()) {
            figures.add(reasons());
        }
        return PageWriter.write("compare.jte", this, "compare", figures);
    }

    /** Returns the figure of where the seconds go. */
    public Figure waterfall() {
        return figure("waterfall", "Where the time goes", parts, "part");
    }

    /** Returns the figure of each difference's cost. */
    public Figure reasons() {
        return figure("causes", "What each difference costs", causes, "difference");
    }

    private static long sum(List<Bar> bars, boolean first) {
        return bars.stream().mapToLong(bar -> first ? bar.aPs() : bar.bPs()).sum();
    }

    /** Returns a figure from the slower to the faster run, so that savings point right. */
    private Figure figure(String id, String title, List<Bar> bars, String kind) {
        int slow = sum(parts, true) >= sum(parts, false) ? 0 : 1;
        JsonObject data = new JsonObject()
                .list("parts", bars, Bar::name)
                .with("runs", List.of(side("A", bars, Bar::aPs), side("B", bars, Bar::bPs)))
                .with("slow", slow)
                .with("fast", 1 - slow)
                .with("per", per);
        boolean changesAlone = bars.stream().allMatch(bar -> bar.aPs() == 0);
        Columns<Bar> columns = new Columns<Bar>().words(kind, Bar::name);
        if (!changesAlone) {
            columns.figure("A [s]", bar -> seconds(bar.aPs())).figure("B [s]", bar -> seconds(bar.bPs()));
        }
        columns.figure("B - A [s]", bar -> seconds(bar.bPs() - bar.aPs()));
        List<Bar> rows = new ArrayList<>(bars);
        rows.add(new Bar("together", sum(bars, true), sum(bars, false)));
        return new Figure(
                id,
                Figure.Kind.GAP,
                title,
                title + ": " + (slow == 0 ? "what B saves" : "what A saves") + ", bar by bar",
                HEIGHT,
                data,
                columns.of(rows));
    }

    private static JsonObject side(String name, List<Bar> bars, Function<Bar, Long> ps) {
        return new JsonObject().with("name", name).with("group", "").list("ps", bars, ps);
    }

    private static String seconds(long ps) {
        return Quantities.fixed(ps * PS_TO_SECONDS, 3);
    }
}
