package io.shardsim.reports.writing.html;

import io.shardsim.reports.writing.JsonObject;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;

/**
 * A figure as data, without its look. {@code report.js} draws the chart, and its table replaces it without scripts.
 *
 * @param id anchor of the figure, and file name when saved
 * @param title short title
 * @param alt text for screen readers
 * @param height height of the chart on a wide screen [pixels]
 * @param data strings, numbers, lists and maps; the keys are those of its kind in {@code report.js}
 * @param table its figures as a table
 */
public record Figure(String id, Kind kind, String title, String alt, int height, Map<String, ?> data, Table table) {
    /** Precise enough for any drawing. */
    private static final MathContext DRAWN = new MathContext(6, RoundingMode.HALF_EVEN);

    /** The kind of chart. */
    public enum Kind {
        /** Figures over the number of GPUs, one line per series. */
        LINES,
        /** Horizontal stacked bars. */
        BARS,
        /** A grid of shaded cells, or several grids in a row. */
        CELLS,
        /** Operations over time, a lane per stream. */
        SPANS,
        /** Stacked areas over time. */
        AREAS,
        /** The gap between two runs that the reader picks. */
        GAP,
        /** Dots, filtered by the reader. */
        SCATTER
    }

    /**
     * Rows of text; the first column names the row.
     *
     * @param numeric whether each column is right-aligned
     */
    public record Table(List<String> head, List<Boolean> numeric, List<List<String>> rows) {}

    /** Returns the chart's data. */
    JsonObject document() {
        JsonObject document =
                new JsonObject().with("kind", kind).with("title", title).with("height", height);
        document.putAll(data);
        return document;
    }

    /** Returns a number for a figure's data: six digits, the same text on every JDK. */
    static BigDecimal number(double value) {
        BigDecimal rounded = new BigDecimal(value).round(DRAWN).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
    }
}
