package io.shardsim.reports.writing.html;

import io.shardsim.reports.ScenarioResult;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Draws a report's figures as SVG files without a browser, for slides and LaTeX: with the data, light colours, words, ticks and marks of the page's
 * charts; HtmlReportIT compares both. A timeline shows its stretch, a gap its initial pair.
 */
public final class SvgFigures {
    private static final int WIDTH = 960;
    private static final int RIGHT = WIDTH - 90;
    private static final int LEFT = 210;
    private static final int LETTER = 7;
    private static final int ROW = 24;
    private static final int PLOT = 280;
    /** Maximum number of grid columns with labels of their own. */
    private static final int MOST_COLUMNS = 24;
    /** Remainder below which it is a rounding error. */
    private static final double NEAR = 1e-9;

    private final Figure figure;
    private final Map<String, ?> data;
    private final SvgFile svg = new SvgFile();
    private int top = 40;

    private SvgFigures(Figure figure) {
        this.figure = figure;
        data = figure.data();
    }

    /** Returns every figure of the report by file name. */
    public static Map<String, String> of(ScenarioResult result) {
        Map<String, String> files = new LinkedHashMap<>();
        for (Figure figure : new ReportPage(result, List.of()).figures()) {
            files.put(figure.id() + ".svg", new SvgFigures(figure).draw());
        }
        return files;
    }

    private String draw() {
        String title = figure.kind() != Figure.Kind.GAP
                ? figure.title()
                : figure.title() + ": " + text(runs("slow"), "name") + " to " + text(runs("fast"), "name") + ", "
                        + text(runs("fast"), "group");
        svg.text(8, 20, "start", "ink", title);
        int bottom = switch (figure.kind()) {
            case LINES -> lines();
            case BARS -> bars();
            case CELLS -> cells();
            case SPANS -> spans();
            case AREAS -> areas();
            case GAP -> gap();
            case SCATTER -> throw new IllegalStateException("no report has dots");
        };
        return svg.close(WIDTH, bottom, figure.alt());
    }

    private int lines() {
        List<Map<String, ?>> series = list(data, "series");
        List<List<?>> points = points(series, "points");
        List<List<?>> published = points(series, "published");
        List<List<?>> ideal = list(data, "ideal");
        double most = Math.max(most(points, 5), Math.max(most(published, 1), most(ideal, 1)));
        double least =
                points.stream().mapToDouble(point -> number(point.get(1))).min().orElse(0);
        double floor = text("unit").equals("%") ? Math.min(80, Math.floor(least / 20) * 20) : 0;
        double by = Scale.step(most - floor, 6);
        legend(series, series.stream().map(one -> colour(series.indexOf(one))).toList());
        double first = number(list(data, "xs").get(0));
        double widest = Math.max(2 * first, most(points, 0));
        Scale x = new Scale(StrictMath.floor(log2(first)), StrictMath.ceil(log2(widest)), 60, RIGHT, 1);
        Scale y = new Scale(Math.floor(floor / by) * by, Scale.above(most, by), top + PLOT, top, by);
        axes(y, x);
        String name = text("x")
                + (points.stream().anyMatch(point -> point.size() > 5) ? "; band: 80 % of similar runs" : "")
                + (points.stream().anyMatch(SvgFigures::isHollow) ? "; hollow: micro-batch changes" : "")
                + (published.isEmpty() ? "" : "; cross: published");
        ticks(x, top + PLOT, power -> Scale.words(StrictMath.pow(2, power)), name);
        for (int i = 0; i < series.size(); i++) {
            band(list(series.get(i), "points"), x, y, colour(i));
        }
        line(ideal, x, y, "soft", "2 4");
        if (ideal.size() > 1) {
            double end = number(ideal.get(ideal.size() - 1).get(1));
            svg.text(x.right - 10, y.at(end) - 4, "end", "soft", "linear");
        }
        for (int i = 0; i < series.size(); i++) {
            List<List<?>> own = list(series.get(i), "points");
            line(own, x, y, colour(i), dash(i));
            for (List<?> point : own) {
                double[] at = at(x, y, point, 1);
                svg.mark(at[0], at[1], isHollow(point) ? SvgFile.HOLLOW : i % 4, colour(i));
            }
            for (List<?> point : SvgFigures.<List<?>>list(series.get(i), "published")) {
                double[] at = at(x, y, point, 1);
                svg.line(at[0] - 6, at[1] - 6, at[0] + 6, at[1] + 6, "ink", "");
                svg.line(at[0] - 6, at[1] + 6, at[0] + 6, at[1] - 6, "ink", "");
            }
        }
        return top + PLOT + 50;
    }

    private static List<List<?>> points(List<Map<String, ?>> series, String key) {
        return series.stream()
                .flatMap(one -> SvgFigures.<List<?>>list(one, key).stream())
                .toList();
    }

    /** Returns the largest value of points at an index, or their own value if they have no range. */
    private static double most(List<List<?>> points, int place) {
        return points.stream()
                .mapToDouble(point -> number(point.get(point.size() > place ? place : 1)))
                .max()
                .orElse(0);
    }

    private static boolean isHollow(List<?> point) {
        return Boolean.TRUE.equals(point.get(3));
    }

    private static String colour(int series) {
        return "s" + series % 8;
    }

    private static String dash(int series) {
        return series % 2 == 0 ? "" : "9 3";
    }

    private static double log2(double value) {
        return StrictMath.log(value) / StrictMath.log(2);
    }

    private static double[] at(Scale x, Scale y, List<?> point, int value) {
        return new double[] {x.at(log2(number(point.get(0)))), y.at(Math.min(y.to, number(point.get(value))))};
    }

    /** Draws the band of points with a range: along their lower ends, and back along the upper ones. */
    private void band(List<List<?>> points, Scale x, Scale y, String colour) {
        List<double[]> outline = new ArrayList<>();
        for (List<?> point : points) {
            if (point.size() > 5) {
                outline.add(outline.size() / 2, at(x, y, point, 4));
                outline.add(outline.size() / 2 + 1, at(x, y, point, 5));
            }
        }
        if (outline.size() > 2) {
            svg.area(outline, colour, " fill-opacity=\"0.16\"");
        }
    }

    private void line(List<List<?>> points, Scale x, Scale y, String colour, String dash) {
        if (points.size() > 1) {
            svg.curve(points.stream().map(point -> at(x, y, point, 1)).toList(), colour, dash);
        }
    }

    private int bars() {
        List<Map<String, ?>> parts = list(data, "parts");
        List<Map<String, ?>> rows = list(data, "rows");
        legend(parts, colours(parts));
        double most = data.containsKey("max")
                ? number(data.get("max"))
                : IntStream.range(0, rows.size())
                        .mapToDouble(row -> parts.stream()
                                .mapToDouble(part -> number(list(part, "values").get(row)))
                                .sum())
                        .max()
                        .orElse(0);
        double by = Scale.step(most, 6);
        Scale x = new Scale(0, data.containsKey("max") ? most : Scale.above(most, by), LEFT, RIGHT, by);
        int y = top;
        boolean grouped =
                rows.stream().filter(row -> row.containsKey("heading")).count() > 1;
        for (int row = 0; row < rows.size(); row++) {
            if (grouped && rows.get(row).containsKey("heading")) {
                svg.text(LEFT - 8, y + 15, "end", "ink", text(rows.get(row), "heading"));
                y += ROW;
            }
            svg.text(LEFT - 8, y + 15, "end", "ink", text(rows.get(row), "name"));
            double from = 0;
            for (Map<String, ?> part : parts) {
                double to = Math.min(x.to, from + number(list(part, "values").get(row)));
                svg.rect(x.at(from), y + 2, x.at(to) - x.at(from), ROW - 6, text(part, "colour"));
                from = to;
            }
            String colour = Boolean.TRUE.equals(rows.get(row).get("alarm")) ? "alarm" : "soft";
            double end = data.containsKey("limit") ? Math.max(from, number(data.get("limit"))) : from;
            svg.text(x.at(end) + 6, y + 15, "start", colour, text(rows.get(row), "end"));
            y += ROW;
        }
        limit(x.at(data.containsKey("limit") ? number(data.get("limit")) : 0), top, y, true);
        ticks(x, y, Scale::words, text("unit"));
        return y + 44;
    }

    private int cells() {
        List<?> xs = list(data, "xs");
        List<?> ys = list(data, "ys");
        double least = number(data.get("min"));
        double span = number(data.get("max")) == least ? 1 : number(data.get("max")) - least;
        int every = (xs.size() + MOST_COLUMNS - 1) / MOST_COLUMNS;
        double wide = (double) (WIDTH - 20 - LEFT) / Math.max(1, xs.size());
        boolean named = false;
        for (Map<String, ?> facet : SvgFigures.<Map<String, ?>>list(data, "facets")) {
            svg.text(LEFT, top, "start", "ink", text(facet, "name"));
            svg.text(LEFT - 8, top, "end", "soft", named ? "" : text("y"));
            named = true;
            top += 8;
            for (List<?> cell : SvgFigures.<List<?>>list(facet, "cells")) {
                double left = LEFT + wide * number(cell.get(0));
                double y = top + ROW * number(cell.get(1));
                Object value = cell.get(2);
                int shade = value == null ? 0 : (int) Math.max(0, Math.min(4, (number(value) - least) / span * 5));
                svg.rect(left, y, wide - 1, ROW - 1, value == null ? "misfit" : "h" + shade);
                String label = xs.size() > MOST_COLUMNS ? "" : String.valueOf(cell.get(3));
                String ink = value == null ? "soft" : shade > 2 ? "paper" : "ink";
                svg.text(left + wide / 2, y + 16, "middle", ink, label);
            }
            for (int row = 0; row < ys.size(); row++) {
                svg.text(LEFT - 8, top + ROW * row + 16, "end", "ink", String.valueOf(ys.get(row)));
            }
            top += ROW * ys.size();
            for (int column = 0; column < xs.size(); column += every) {
                String name = String.valueOf(xs.get(column)).replaceAll("Node\\[(\\d+)].*", "$1");
                svg.text(LEFT + wide * (column + 0.5), top + 15, "middle", "soft", name);
            }
            svg.text((LEFT + WIDTH - 20) / 2.0, top + 33, "middle", "soft", text("x"));
            top += 62;
        }
        for (int shade = 0; shade < 5; shade++) {
            svg.rect(LEFT + 60 + 22 * shade, top - 20, 16, 12, "h" + shade);
        }
        svg.text(LEFT + 54, top - 10, "end", "soft", Scale.digits(least, 3));
        String end = Scale.digits(number(data.get("max")), 3) + " " + text("unit");
        svg.text(LEFT + 174, top - 10, "start", "soft", end);
        return top;
    }

    private int spans() {
        List<Map<String, ?>> lanes = list(data, "lanes");
        double longest = lanes.stream()
                .mapToInt(lane -> text(lane, "name").length())
                .max()
                .orElse(0);
        double from = number(data.get("from"));
        double to = number(data.get("to"));
        Scale x = new Scale(from, to, 18 + 7.4 * longest, WIDTH - 14, Scale.step(to - from, 8));
        for (List<?> span : SvgFigures.<List<?>>list(data, "spans")) {
            double start = Math.max(x.from, number(span.get(2)));
            double end = Math.min(x.to, number(span.get(2)) + number(span.get(3)));
            if (end > start) {
                int lane = (int) number(span.get(0));
                int label = (int) number(span.get(1));
                String colour = label < 0 ? "gap" : text(lanes.get(lane), "colour");
                double wide = x.at(end) - x.at(start);
                svg.rect(x.at(start), top + ROW * lane + 2, Math.max(0.5, wide - 0.5), ROW - 5, colour);
                String words =
                        label < 0 ? "" : String.valueOf(list(data, "labels").get(label));
                String brief = words.replaceFirst("layers? ", "")
                        .replaceFirst("forward", "fwd")
                        .replaceFirst("backward", "bwd");
                String fitting = words.length() * 6 + 6 < wide ? words : brief.length() * 6 + 6 < wide ? brief : "";
                svg.words(x.at(start) + 4, top + ROW * lane + 15, colour, fitting);
            }
        }
        for (int lane = 0; lane < lanes.size(); lane++) {
            svg.text(x.left - 8, top + ROW * lane + 16, "end", "ink", text(lanes.get(lane), "name"));
        }
        int bottom = top + ROW * lanes.size();
        ticks(x, bottom, tick -> tick > x.from && tick < x.to ? Scale.seconds(tick * 1e-6) : "", "");
        return bottom + 30;
    }

    private int areas() {
        List<Map<String, ?>> layers = list(data, "layers");
        legend(layers, colours(layers));
        List<?> xs = list(data, "xs");
        double end = number(data.get("end"));
        double max = number(data.get("max"));
        Scale x = new Scale(0, end, 60, RIGHT, Scale.step(end, 8));
        Scale y = new Scale(0, max, top + PLOT, top, Scale.step(max, 6));
        double[] sums = new double[xs.size()];
        List<List<double[]>> paths = new ArrayList<>();
        for (Map<String, ?> layer : layers) {
            List<double[]> path = new ArrayList<>(List.of(new double[] {x.at(0), y.at(0)}));
            for (int i = 0; i < sums.length; i++) {
                sums[i] += number(list(layer, "values").get(i));
                double until = i + 1 < sums.length ? number(xs.get(i + 1)) : x.to;
                path.add(new double[] {x.at(number(xs.get(i))), y.at(Math.min(y.to, sums[i]))});
                path.add(new double[] {x.at(until), y.at(Math.min(y.to, sums[i]))});
            }
            path.add(new double[] {x.at(x.to), y.at(0)});
            paths.add(path);
        }
        for (int layer = layers.size() - 1; layer >= 0; layer--) {
            svg.area(paths.get(layer), text(layers.get(layer), "colour"), "");
        }
        axes(y, x);
        ticks(x, top + PLOT, tick -> tick < end ? Scale.seconds(tick) : "", "");
        limit(y.at(number(data.get("limit"))), x.left, x.right, false);
        return top + PLOT + 50;
    }

    private int gap() {
        List<GapFigure.Part> parts =
                GapFigure.parts(list(data, "parts"), list(runs("slow"), "ps"), list(runs("fast"), "ps"));
        double least = parts.stream().mapToDouble(GapFigure.Part::least).min().orElse(0);
        double most = parts.stream().mapToDouble(GapFigure.Part::most).max().orElse(0);
        double by = Scale.step(most - least, 8);
        Scale x = new Scale(-Scale.above(-least, by), Math.max(by, Scale.above(most, by)), LEFT, RIGHT, by);
        int y = top;
        for (GapFigure.Part part : parts) {
            svg.text(LEFT - 8, y + 15, "end", "ink", part.name());
            svg.rect(x.at(part.least()), y + 2, x.at(part.most()) - x.at(part.least()), ROW - 6, part.colour());
            svg.text(x.at(part.most()) + 6, y + 15, "start", "ink", part.text());
            y += ROW;
        }
        String total = parts.get(0).text();
        ticks(x, y, Scale::words, total.substring(total.indexOf(' ') + 1) + " saved per " + text("per"));
        return y + 44;
    }

    private Map<String, ?> runs(String which) {
        return SvgFigures.<Map<String, ?>>list(data, "runs").get((int) number(data.get(which)));
    }

    private static List<String> colours(List<Map<String, ?>> parts) {
        return parts.stream().map(part -> text(part, "colour")).toList();
    }

    /** Draws the legend, with marks for curves. */
    private void legend(List<Map<String, ?>> named, List<String> colours) {
        boolean curves = figure.kind() == Figure.Kind.LINES;
        int wide = curves ? 28 : 14;
        double x = 8;
        for (int i = 0; i < named.size() && named.size() > 1; i++) {
            String name = text(named.get(i), "name");
            if (x + name.length() * LETTER + wide + 16 > WIDTH) {
                x = 8;
                top += 20;
            }
            if (curves) {
                svg.curve(
                        List.of(new double[] {x, top - 4}, new double[] {x + wide, top - 4}), colours.get(i), dash(i));
                svg.mark(x + wide / 2, top - 4, i % 4, colours.get(i));
            } else {
                svg.rect(x, top - 10, wide, 12, colours.get(i));
            }
            svg.text(x + wide + 5, top, "start", "ink", name);
            x += name.length() * LETTER + wide + 22;
        }
        top += 30;
    }

    private void axes(Scale y, Scale x) {
        for (double tick : y.ticks()) {
            svg.line(x.left, y.at(tick), x.right, y.at(tick), tick == y.from ? "soft" : "rule", "");
            svg.text(x.left - 6, y.at(tick) + 4, "end", "soft", Scale.words(tick));
        }
        svg.text(x.left, top - 10, "start", "soft", text("unit"));
    }

    private void ticks(Scale x, int y, DoubleFunction<String> words, String name) {
        for (double tick : x.ticks()) {
            svg.text(x.at(tick), y + 16, "middle", "soft", words.apply(tick));
        }
        svg.text((x.left + x.right) / 2, y + 34, "middle", "soft", name);
    }

    private void limit(double at, double from, double to, boolean upright) {
        if (data.containsKey("limit")) {
            svg.line(
                    upright ? at : from, upright ? from - 4 : at, upright ? at : to, upright ? to : at, "alarm", "6 3");
            svg.text(upright ? at : to, (upright ? from : at) - 6, "end", "alarm", text("limitName"));
        }
    }

    /**
     * Maps values to pixels.
     *
     * @param by distance between ticks
     */
    private record Scale(double from, double to, double left, double right, double by) {
        /** Returns a tick distance of 1, 2 or 5 times a power of ten, as in report.js. */
        static double step(double length, int ticks) {
            double raw = (length == 0 ? 1 : length) / ticks;
            double power = StrictMath.pow(10, StrictMath.floor(StrictMath.log10(raw) + NEAR));
            for (double factor : new double[] {1, 2, 5}) {
                if (factor * power >= raw * (1 - NEAR)) {
                    return factor * power;
                }
            }
            return 10 * power;
        }

        static double above(double value, double by) {
            return StrictMath.ceil(value / by - NEAR) * by;
        }

        static String words(double value) {
            return new DecimalFormat("#,##0.#########", DecimalFormatSymbols.getInstance(Locale.ROOT))
                    .format(value == 0 ? 0 : value);
        }

        /** Formats a time in s, ms or us with four significant digits, as on the page's time axes. */
        static String seconds(double value) {
            double scaled = value == 0 || value >= 1 ? value : value >= 1e-3 ? value * 1e3 : value * 1e6;
            return digits(scaled, 4) + (value == 0 || value >= 1 ? " s" : value >= 1e-3 ? " ms" : " us");
        }

        static String digits(double value, int digits) {
            return new BigDecimal(value)
                    .round(new MathContext(digits, RoundingMode.HALF_UP))
                    .stripTrailingZeros()
                    .toPlainString();
        }

        List<Double> ticks() {
            List<Double> ticks = new ArrayList<>();
            for (double tick = StrictMath.ceil(from / by - NEAR); tick * by <= to + NEAR * by; tick++) {
                ticks.add(tick * by);
            }
            return ticks;
        }

        double at(double value) {
            return left + (right - left) * (value - from) / (to - from);
        }
    }

    private static double number(@Nullable Object value) {
        return ((Number) Objects.requireNonNull(value)).doubleValue();
    }

    private String text(String key) {
        return text(data, key);
    }

    private static String text(Map<String, ?> of, String key) {
        return String.valueOf(of.get(key));
    }

    @SuppressWarnings("unchecked")
    private static <T> List<T> list(Map<String, ?> of, String key) {
        return (List<T>) Objects.requireNonNull(of.get(key));
    }
}
