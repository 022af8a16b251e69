package io.shardsim.reports.writing.html;

import java.util.List;

/**
 * A drawing in two widths, what its colours and patterns mean, and the same figures as a table.
 *
 * @param wide SVG for about 720 pixels and more
 * @param narrow SVG for a telephone
 */
public record Figure(String wide, String narrow, List<Key> keys, Table table) {
    /** Pixels of the two drawing widths. */
    static final int WIDE = 720;

    static final int NARROW = 330;

    /**
     * One entry of a legend.
     *
     * @param swatch SVG
     */
    public record Key(String swatch, String name) {}

    /**
     * Rows of text; the first column names the row.
     *
     * @param numeric for each column, whether it is set flush right
     */
    public record Table(List<String> head, List<Boolean> numeric, List<List<String>> rows) {}

    static Key boxKey(String style, String name) {
        return new Key(new Svg(16, 16, name).rect(1, 1, 14, 14, style, "").close(), name);
    }

    static Key lineKey(int series, String name) {
        Svg svg = new Svg(28, 16, name);
        svg.polyline(new double[] {0, 28}, new double[] {8, 8}, "series s" + series % 8);
        svg.marker(14, 8, series, "marker s" + series % 8, "");
        return new Key(svg.close(), name);
    }
}
