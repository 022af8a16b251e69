package io.shardsim.reports.writing.html;

import io.shardsim.reports.writing.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/**
 * Builds an SVG file: rectangles, lines and text in the light colours of the palette. Coordinates are rounded to a tenth of a pixel; text is escaped.
 */
final class SvgFile {
    private static final Map<String, JsonObject> PALETTE = Palette.document();

    /** The mark where a curve's micro-batch changes. */
    static final int HOLLOW = 4;

    private static final List<String> MARKS = List.of(
            "circle cx=\"%1$.1f\" cy=\"%2$.1f\" r=\"4.5\" fill=\"%3$s\"",
            "path d=\"M%1$.1f %2$.1fm-4.5 -4.5h9v9h-9z\" fill=\"%3$s\"",
            "path d=\"M%1$.1f %2$.1fm0 -4.5l4.5 9h-9z\" fill=\"%3$s\"",
            "path d=\"M%1$.1f %2$.1fm0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z\" fill=\"%3$s\"",
            "circle cx=\"%1$.1f\" cy=\"%2$.1f\" r=\"5\" fill=\"#fff\" stroke=\"%3$s\" stroke-width=\"2\"");

    private final StringBuilder body = new StringBuilder();
    private final TreeSet<String> patterns = new TreeSet<>();

    void rect(double x, double y, double width, double height, String colour) {
        body.append(format(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                x, y, Math.max(0, width), height, fill(colour)));
    }

    void line(double x1, double y1, double x2, double y2, String colour, String dash) {
        body.append(format(
                "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"%s/>\n", x1, y1, x2, y2, plain(colour), dashed(dash)));
    }

    void curve(List<double[]> points, String colour, String dash) {
        path(points, "fill=\"none\" stroke-width=\"2\" stroke=\"" + plain(colour) + "\"" + dashed(dash));
    }

    /** Draws an area between points, with further attributes. */
    void area(List<double[]> points, String colour, String attributes) {
        path(points, "fill=\"" + fill(colour) + "\"" + attributes);
    }

    private void path(List<double[]> points, String attributes) {
        StringBuilder path = new StringBuilder();
        for (double[] point : points) {
            path.append(format("%s%.1f %.1f", path.length() == 0 ? "M" : "L", point[0], point[1]));
        }
        body.append("<path d=\"" + path + "\" " + attributes + "/>\n");
    }

    private static String dashed(String dash) {
        return dash.isEmpty() ? "" : " stroke-dasharray=\"" + dash + "\"";
    }

    /** Draws a point of a curve, with a mark of {@link #MARKS}. */
    void mark(double x, double y, int mark, String colour) {
        body.append(format("<" + MARKS.get(mark) + "/>\n", x, y, plain(colour)));
    }

    /** Draws text on an area of a colour. */
    void words(double x, double y, String colour, String text) {
        if (!text.isEmpty() && look(colour).get("words") instanceof List<?> inks) {
            body.append(format(
                    "<text x=\"%.1f\" y=\"%.1f\" font-size=\"11\" fill=\"%s\">%s</text>\n",
                    x, y, inks.get(0), escaped(text)));
        }
    }

    /**
     * @param anchor {@code start}, {@code middle} or {@code end}
     */
    void text(double x, double y, String anchor, String colour, String text) {
        if (!text.isEmpty()) {
            body.append(format(
                    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n",
                    x, y, anchor, plain(colour), escaped(text)));
        }
    }

    /** Returns the whole file. */
    String close(int width, int height, String title) {
        StringBuilder defs = new StringBuilder();
        for (String id : patterns) {
            defs.append(pattern(id));
        }
        return format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"Arial, Helvetica, sans-serif\" font-size=\"12\">\n"
                        + "<title>%s</title>\n"
                        + "<defs>\n"
                        + "%s</defs>\n"
                        + "%s</svg>\n",
                width, height, width, height, escaped(title), defs, body);
    }

    private static String pattern(String id) {
        String mark = "dots".equals(look(id).get("pattern"))
                ? "<circle cx=\"3\" cy=\"3\" r=\"1.2\" fill=\"" + plain("hatch") + "\"/>"
                : "<path d=\"M0 3H6\" stroke=\"" + plain("hatch") + "\" stroke-width=\"2\"/>";
        return "<pattern id=\"" + id
                + "\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate("
                + look(id).get("angle")
                + ")\"><rect width=\"6\" height=\"6\" fill=\"" + plain(id) + "\"/>" + mark + "</pattern>\n";
    }

    private String fill(String colour) {
        if ("plain".equals(look(colour).get("pattern"))) {
            return plain(colour);
        }
        patterns.add(colour);
        return "url(#" + colour + ")";
    }

    private static String plain(String colour) {
        return String.valueOf(((List<?>) Objects.requireNonNull(look(colour).get("colours"))).get(0));
    }

    private static JsonObject look(String colour) {
        return Objects.requireNonNull(PALETTE.get(colour), colour);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replaceAll("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]", "\ufffd");
    }
}
