package io.shardsim.reports.writing.html;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.ScenarioResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Draws the figures of a report as SVG files without a browser, for slides and LaTeX: the same data as the charts of the page, in their light colours. Leaves
 * out the axis labels and hints that only a chart on a screen needs; a timeline shows its stretch, a gap the pair that it opens with.
 */
public final class SvgFigures {
    private static final int WIDTH = 760;
    private static final int RIGHT = WIDTH - 90;
    private static final int LEFT = 210;
    private static final int LETTER = 7;
    private static final int ROW = 24;
    private static final int PLOT = 280;

    private final Figure figure;
    private final Map<String, ?> data;
    private final SvgFile svg = new SvgFile();
    private int top = 40;

    private SvgFigures(Figure figure) {
        this.figure = figure;
        data = figure.data();
    }

    /** Every figure of the report by the name of its file. */
    public static Map<String, String> of(ScenarioResult result) {
        Map<String, String> files = new LinkedHashMap<>();
        for (Figure figure : new ReportPage(result, List.of()).figures()) {
            files.put(figure.id() + ".svg", new SvgFigures(figure).draw());
        }
        return files;
    }

    private String draw() {
        svg.text(8, 20, "start", "ink", figure.title());
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
        List<Map<String, ?>> series = maps("series");
        List<String> colours = new ArrayList<>();
        double most = 0;
        double widest = 1;
        for (Map<String, ?> one : series) {
            colours.add("s" + colours.size() % 8);
            for (List<?> point : rows(one, "published")) {
                most = Math.max(most, number(point.get(1)));
            }
            for (List<?> point : rows(one, "points")) {
                widest = Math.max(widest, number(point.get(0)));
                most = Math.max(most, number(point.get(1)));
            }
        }
        legend(series, colours);
        double least = number(list(data, "xs").get(0));
        Scale x = new Scale(log2(least), log2(Math.max(widest, 2 * least)), 60, RIGHT);
        Scale y = new Scale(0, round(most), top + PLOT, top);
        axes(x, y, text("x") + marks(series), text("unit"));
        for (int i = 0; i < series.size(); i++) {
            band(rows(series.get(i), "points"), x, y, colours.get(i));
        }
        line(rows(data, "ideal"), x, y, "soft", "2 4");
        for (int i = 0; i < series.size(); i++) {
            List<List<?>> points = rows(series.get(i), "points");
            line(points, x, y, colours.get(i), i % 2 == 0 ? "" : "9 3");
            for (List<?> point : points) {
                double across = x.at(log2(number(point.get(0))));
                double down = y.at(number(point.get(1)));
                svg.rect(across - 4, down - 4, 8, 8, colours.get(i));
                if (Boolean.TRUE.equals(point.get(3))) {
                    svg.rect(across - 2, down - 2, 4, 4, "paper");
                }
            }
            for (List<?> point : rows(series.get(i), "published")) {
                double across = x.at(log2(number(point.get(0))));
                double down = y.at(number(point.get(1)));
                svg.line(across - 6, down - 6, across + 6, down + 6, "ink", "");
                svg.line(across - 6, down + 6, across + 6, down - 6, "ink", "");
            }
        }
        return top + PLOT + 50;
    }

    /** What bands and hollow marks say, where there are any. */
    private static String marks(List<Map<String, ?>> series) {
        List<List<?>> points =
                series.stream().flatMap(one -> rows(one, "points").stream()).toList();
        return (points.stream().anyMatch(point -> point.size() > 5) ? "; band: 80 % of such runs" : "")
                + (points.stream().anyMatch(point -> Boolean.TRUE.equals(point.get(3)))
                        ? "; hollow: micro-batch changes"
                        : "")
                + (series.stream().allMatch(one -> rows(one, "published").isEmpty()) ? "" : "; cross: published");
    }

    private static double log2(double value) {
        return StrictMath.log(value) / StrictMath.log(2);
    }

    /** Around the points that have a range: their lower ends, and back by the upper ones. */
    private void band(List<List<?>> points, Scale x, Scale y, String colour) {
        List<double[]> outline = new ArrayList<>();
        for (List<?> point : points) {
            if (point.size() > 5) {
                double across = x.at(log2(number(point.get(0))));
                outline.add(outline.size() / 2, new double[] {across, y.at(number(point.get(4)))});
                outline.add(outline.size() / 2 + 1, new double[] {across, y.at(Math.min(y.to, number(point.get(5))))});
            }
        }
        if (outline.size() > 2) {
            svg.band(outline, colour);
        }
    }

    private void line(List<List<?>> points, Scale x, Scale y, String colour, String dash) {
        if (points.size() > 1) {
            svg.path(
                    points.stream()
                            .map(point -> new double[] {
                                x.at(log2(number(point.get(0)))), y.at(Math.min(y.to, number(point.get(1))))
                            })
                            .toList(),
                    colour,
                    false,
                    dash);
        }
    }

    private int bars() {
        List<Map<String, ?>> parts = maps("parts");
        List<Map<String, ?>> rows = maps("rows");
        legend(parts, parts.stream().map(part -> text(part, "colour")).toList());
        double most = data.containsKey("max") ? number(data.get("max")) : 0;
        for (int row = 0; row < rows.size() && !data.containsKey("max"); row++) {
            double sum = 0;
            for (Map<String, ?> part : parts) {
                sum += number(list(part, "values").get(row));
            }
            most = Math.max(most, sum);
        }
        Scale x = new Scale(0, round(most), LEFT, RIGHT);
        int y = top;
        boolean grouped =
                rows.stream().filter(row -> row.containsKey("heading")).count() > 1;
        for (int row = 0; row < rows.size(); row++) {
            if (grouped && rows.get(row).containsKey("heading")) {
                svg.text(LEFT - 8, y + 15, "end", "soft", text(rows.get(row), "heading"));
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
        ticks(x, y, text("unit"));
        return y + 44;
    }

    private int cells() {
        List<?> xs = list(data, "xs");
        List<?> ys = list(data, "ys");
        double least = number(data.get("min"));
        double span = Math.max(1e-9, number(data.get("max")) - least);
        double wide = (double) (WIDTH - 20 - LEFT) / Math.max(1, xs.size());
        for (Map<String, ?> facet : maps("facets")) {
            svg.text(LEFT, top, "start", "soft", text(facet, "name"));
            svg.text(LEFT - 8, top, "end", "soft", text("y"));
            top += 8;
            for (List<?> cell : rows(facet, "cells")) {
                double left = LEFT + wide * number(cell.get(0));
                double y = top + ROW * number(cell.get(1));
                Object value = cell.get(2);
                int shade = value == null ? 0 : (int) Math.max(0, Math.min(4, (number(value) - least) / span * 5));
                svg.rect(left, y, wide - 1, ROW - 1, value == null ? "misfit" : "h" + shade);
                svg.text(left + wide / 2, y + 16, "middle", shade > 2 ? "paper" : "ink", String.valueOf(cell.get(3)));
            }
            for (int row = 0; row < ys.size(); row++) {
                svg.text(LEFT - 8, top + ROW * row + 16, "end", "ink", String.valueOf(ys.get(row)));
            }
            top += ROW * ys.size();
            int every = (int) Math.ceil(40 / wide);
            for (int column = 0; column < xs.size(); column += every) {
                String name = String.valueOf(xs.get(column)).replaceAll("Node\\[(\\d+)].*", "$1");
                svg.text(LEFT + wide * (column + 0.5), top + 15, "middle", "soft", name);
            }
            top += 46;
        }
        svg.text(
                LEFT,
                top - 12,
                "start",
                "soft",
                text("x") + "; " + Quantities.threeDigits(least) + " (light) to " + Quantities.threeDigits(least + span)
                        + " (dark) " + text("unit"));
        return top;
    }

    private int spans() {
        List<Map<String, ?>> lanes = maps("lanes");
        Scale x = new Scale(number(data.get("from")), number(data.get("to")), 110, WIDTH - 20);
        for (List<?> span : rows(data, "spans")) {
            double start = Math.max(x.from, number(span.get(2)));
            double end = Math.min(x.to, number(span.get(2)) + number(span.get(3)));
            if (end > start) {
                int lane = (int) number(span.get(0));
                String colour = number(span.get(1)) < 0 ? "gap" : text(lanes.get(lane), "colour");
                svg.rect(
                        x.at(start),
                        top + ROW * lane + 2,
                        Math.max(0.5, x.at(end) - x.at(start) - 0.5),
                        ROW - 5,
                        colour);
            }
        }
        for (int lane = 0; lane < lanes.size(); lane++) {
            svg.text(102, top + ROW * lane + 16, "end", "ink", text(lanes.get(lane), "name"));
        }
        int bottom = top + ROW * lanes.size();
        svg.text(x.left, bottom + 16, "start", "soft", Quantities.seconds(x.from * 1e-6));
        svg.text(x.right, bottom + 16, "end", "soft", Quantities.seconds(x.to * 1e-6));
        return bottom + 30;
    }

    private int areas() {
        List<Map<String, ?>> layers = maps("layers");
        legend(layers, layers.stream().map(layer -> text(layer, "colour")).toList());
        List<?> xs = list(data, "xs");
        Scale x = new Scale(0, number(data.get("end")), 60, RIGHT);
        Scale y = new Scale(0, round(number(data.get("max"))), top + PLOT, top);
        double[] sums = new double[xs.size()];
        List<List<double[]>> paths = new ArrayList<>();
        for (Map<String, ?> layer : layers) {
            List<double[]> path = new ArrayList<>(List.of(new double[] {x.at(0), y.at(0)}));
            for (int i = 0; i < sums.length; i++) {
                sums[i] += number(list(layer, "values").get(i));
                double end = i + 1 < sums.length ? number(xs.get(i + 1)) : x.to;
                path.add(new double[] {x.at(number(xs.get(i))), y.at(Math.min(y.to, sums[i]))});
                path.add(new double[] {x.at(end), y.at(Math.min(y.to, sums[i]))});
            }
            path.add(new double[] {x.at(x.to), y.at(0)});
            paths.add(path);
        }
        for (int layer = layers.size() - 1; layer >= 0; layer--) {
            svg.path(paths.get(layer), text(layers.get(layer), "colour"), true, "");
        }
        axes(x, y, "s", text("unit"));
        limit(y.at(number(data.get("limit"))), x.left, x.right, false);
        return top + PLOT + 50;
    }

    private int gap() {
        List<Map<String, ?>> runs = maps("runs");
        Map<String, ?> slow = runs.get((int) number(data.get("slow")));
        Map<String, ?> fast = runs.get((int) number(data.get("fast")));
        svg.text(
                8,
                top,
                "start",
                "soft",
                "From " + text(slow, "name") + " to " + text(fast, "name") + ", " + text(fast, "group"));
        top += 14;
        List<?> names = list(data, "parts");
        double at = 0;
        double least = 0;
        double most = 0;
        for (int i = 0; i < names.size(); i++) {
            at += saved(slow, fast, i);
            least = Math.min(least, at);
            most = Math.max(most, at);
        }
        Scale x = new Scale(least < 0 ? -round(-least) : 0, Math.max(1e-9, round(most)), LEFT, RIGHT);
        int y = top;
        double from = 0;
        for (int i = 0; i <= names.size(); i++) {
            boolean sum = i == names.size();
            double to = sum ? at : from + saved(slow, fast, i);
            double start = sum ? 0 : from;
            svg.text(LEFT - 8, y + 15, "end", "ink", sum ? "together" : String.valueOf(names.get(i)));
            svg.rect(
                    x.at(Math.min(start, to)),
                    y + 2,
                    Math.abs(x.at(to) - x.at(start)),
                    ROW - 6,
                    sum ? "total" : to >= from ? "less" : "more");
            svg.text(x.at(Math.max(start, to)) + 6, y + 15, "start", "ink", Quantities.fixed(to - start, 3) + " s");
            from = to;
            y += ROW;
        }
        ticks(x, y, "s saved per " + text("per"));
        return y + 44;
    }

    private static double saved(Map<String, ?> slow, Map<String, ?> fast, int part) {
        return (number(list(slow, "ps").get(part)) - number(list(fast, "ps").get(part))) * 1e-12;
    }

    private void legend(List<Map<String, ?>> named, List<String> colours) {
        double x = 8;
        for (int i = 0; i < named.size() && named.size() > 1; i++) {
            String name = text(named.get(i), "name");
            if (x + name.length() * LETTER + 30 > WIDTH) {
                x = 8;
                top += 20;
            }
            svg.rect(x, top - 10, 14, 12, colours.get(i));
            svg.text(x + 19, top, "start", "ink", name);
            x += name.length() * LETTER + 36;
        }
        top += 30;
    }

    private void axes(Scale x, Scale y, String below, String beside) {
        for (int tick = 0; tick <= 4; tick++) {
            double value = y.to * tick / 4;
            svg.line(x.left, y.at(value), x.right, y.at(value), tick == 0 ? "soft" : "rule", "");
            svg.text(x.left - 6, y.at(value) + 4, "end", "soft", Quantities.number(value, 4));
        }
        svg.text(x.left, top - 10, "start", "soft", beside);
        if (below.startsWith("GPUs")) {
            for (double power = StrictMath.ceil(x.from); power <= x.to; power++) {
                svg.text(
                        x.at(power), top + PLOT + 16, "middle", "soft", Quantities.number(StrictMath.pow(2, power), 6));
            }
            svg.text((x.left + x.right) / 2, top + PLOT + 34, "middle", "soft", below);
        } else {
            ticks(x, top + PLOT, below);
        }
    }

    private void ticks(Scale x, int y, String unit) {
        for (int tick = 0; tick <= 4; tick++) {
            double value = x.from + (x.to - x.from) * tick / 4;
            svg.text(x.at(value), y + 16, "middle", "soft", Quantities.number(value, 4));
        }
        svg.text((x.left + x.right) / 2, y + 34, "middle", "soft", unit);
    }

    private void limit(double at, double from, double to, boolean upright) {
        if (data.containsKey("limit")) {
            svg.line(
                    upright ? at : from, upright ? from - 4 : at, upright ? at : to, upright ? to : at, "alarm", "6 3");
            svg.text(upright ? at : to, (upright ? from : at) - 6, "end", "alarm", text("limitName"));
        }
    }

    /** From values to pixels. */
    private record Scale(double from, double to, double left, double right) {
        double at(double value) {
            return left + (right - left) * (value - from) / (to - from);
        }
    }

    /** The next number that is round when it is divided by four. */
    private static double round(double most) {
        double power = StrictMath.pow(10, StrictMath.floor(StrictMath.log10(Math.max(1e-9, most))));
        for (double factor : new double[] {1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8}) {
            if (factor * power >= most) {
                return factor * power;
            }
        }
        return 10 * power;
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

    private static List<?> list(Map<String, ?> of, String key) {
        return (List<?>) Objects.requireNonNull(of.get(key));
    }

    @SuppressWarnings("unchecked")
    private static List<List<?>> rows(Map<String, ?> of, String key) {
        return (List<List<?>>) Objects.requireNonNull(of.get(key));
    }

    @SuppressWarnings("unchecked")
    private List<Map<String, ?>> maps(String key) {
        return (List<Map<String, ?>>) Objects.requireNonNull(data.get(key));
    }
}
