package io.shardsim.reports.writing.html;

import io.shardsim.reports.writing.JsonObject;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;

/**
 * One figure as data: what it shows, not how. {@code report.js} turns it into a chart, and its table stands in for it where no script runs.
 *
 * @param id anchor of the figure, and name of a file that it is saved as
 * @param title a few words
 * @param alt what a screen reader says in place of the chart
 * @param height of the chart on a wide screen [pixels]
 * @param data strings, numbers, lists and maps; the keys are those of its kind in {@code report.js}
 * @param table the same figures
 */
public record Figure(String id, Kind kind, String title, String alt, int height, Map<String, ?> data, Table table) {
    /** Enough for any drawing. */
    private static final MathContext DRAWN = new MathContext(6, RoundingMode.HALF_EVEN);

    /** What a chart looks like. */
    public enum Kind {
        /** Figures against the number of GPUs, a line per series. */
        LINES,
        /** Horizontal bars, each a stack of parts. */
        BARS,
        /** A grid of shaded cells, or several side by side. */
        CELLS,
        /** Operations over time, a lane per stream. */
        SPANS,
        /** Stacked areas over time. */
        AREAS,
        /** What two runs that the reader picks differ by. */
        GAP,
        /** Dots, of which the reader picks some. */
        SCATTER
    }

    /**
     * Rows of text; the first column names the row.
     *
     * @param numeric for each column, whether it is set flush right
     */
    public record Table(List<String> head, List<Boolean> numeric, List<List<String>> rows) {}

    /** What a chart is made from. */
    JsonObject document() {
        JsonObject document =
                new JsonObject().with("kind", kind).with("title", title).with("height", height);
        document.putAll(data);
        return document;
    }

    /** A number as the document of a figure has it: six digits, the same text on every JDK. */
    static BigDecimal number(double value) {
        BigDecimal rounded = new BigDecimal(value).round(DRAWN).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
    }
}
