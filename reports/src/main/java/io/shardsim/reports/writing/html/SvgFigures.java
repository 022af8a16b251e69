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
import org.jspecify.annotations.Nullable;

/**
 * Draws the figures of a report as SVG files without a browser, for slides and LaTeX: the same data as the charts of the page, in their light colours, with
 * their words, ticks and marks; HtmlReportIT compares both. A timeline shows its stretch, a gap the pair that it opens with.
 */
public final class SvgFigures {
    private static final int WIDTH = 960;
    private static final int RIGHT = WIDTH - 90;
    private static final int LEFT = 210;
    private static final int LETTER = 7;
    private static final int ROW = 24;
    private static final int PLOT = 280;
    /** Columns of a grid that have labels of their own. */
    private static final int MOST_COLUMNS = 24;
    /** Below this, a rest is one of rounding. */
    private static final double NEAR = 1e-9;

    /** Marks by series; one whose micro-batch changes is hollow. */
    private static final List<SvgFile.Mark> MARKS =
            List.of(SvgFile.Mark.CIRCLE, SvgFile.Mark.RECT, SvgFile.Mark.TRIANGLE, SvgFile.Mark.DIAMOND);

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
        List<Map<String, ?>> series = maps("series");
        List<String> colours = new ArrayList<>();
        double most = 0;
        double least = Double.MAX_VALUE;
        double widest = 1;
        for (Map<String, ?> one : series) {
            colours.add("s" + colours.size() % 8);
            for (List<?> point : rows(one, "published")) {
                most = Math.max(most, number(point.get(1)));
            }
            for (List<?> point : rows(one, "points")) {
                widest = Math.max(widest, number(point.get(0)));
                least = Math.min(least, number(point.get(1)));
                most = Math.max(most, number(point.get(point.size() > 5 ? 5 : 1)));
            }
        }
        for (List<?> point : rows(data, "ideal")) {
            most = Math.max(most, number(point.get(1)));
        }
        double floor = text("unit").equals("%") ? Math.min(80, Math.floor(least / 20) * 20) : 0;
        double by = Scale.step(most - floor, 6);
        legend(series, colours);
        double first = number(list(data, "xs").get(0));
        Scale x = new Scale(
                StrictMath.floor(log2(first)), StrictMath.ceil(log2(Math.max(widest, 2 * first))), 60, RIGHT, 1);
        Scale y = new Scale(Math.floor(floor / by) * by, Scale.above(most, by), top + PLOT, top, by);
        axes(y, x, text("unit"));
        for (double power = x.from; power <= x.to; power++) {
            svg.text(x.at(power), top + PLOT + 16, "middle", "soft", Scale.words(StrictMath.pow(2, power)));
        }
        svg.text((x.left + x.right) / 2, top + PLOT + 34, "middle", "soft", text("x") + marks(series));
        for (int i = 0; i < series.size(); i++) {
            band(rows(series.get(i), "points"), x, y, colours.get(i));
        }
        List<List<?>> ideal = rows(data, "ideal");
        line(ideal, x, y, "soft", "2 4");
        if (ideal.size() > 1) {
            double end = number(ideal.get(ideal.size() - 1).get(1));
            svg.text(x.right - 10, y.at(end) - 4, "end", "soft", "linear");
        }
        for (int i = 0; i < series.size(); i++) {
            List<List<?>> points = rows(series.get(i), "points");
            line(points, x, y, colours.get(i), i % 2 == 0 ? "" : "9 3");
            for (List<?> point : points) {
                double across = x.at(log2(number(point.get(0))));
                double down = y.at(number(point.get(1)));
                boolean hollow = Boolean.TRUE.equals(point.get(3));
                svg.mark(across, down, hollow ? SvgFile.Mark.HOLLOW : MARKS.get(i % MARKS.size()), colours.get(i));
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
        ticks(x, y, text("unit"));
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
        for (Map<String, ?> facet : maps("facets")) {
            svg.text(LEFT, top, "start", "ink", text(facet, "name"));
            svg.text(LEFT - 8, top, "end", "soft", named ? "" : text("y"));
            named = true;
            top += 8;
            for (List<?> cell : rows(facet, "cells")) {
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
        svg.text(
                LEFT + 54,
                top - 10,
                "end",
                "soft",
                Scale.words(threeDigits(least)).replace(",", ""));
        svg.text(
                LEFT + 174,
                top - 10,
                "start",
                "soft",
                Scale.words(threeDigits(number(data.get("max")))).replace(",", "") + " " + text("unit"));
        return top;
    }

    private static double threeDigits(double value) {
        return new BigDecimal(value)
                .round(new MathContext(3, RoundingMode.HALF_UP))
                .doubleValue();
    }

    private int spans() {
        List<Map<String, ?>> lanes = maps("lanes");
        double longest = lanes.stream()
                .mapToInt(lane -> text(lane, "name").length())
                .max()
                .orElse(0);
        double from = number(data.get("from"));
        double to = number(data.get("to"));
        Scale x = new Scale(from, to, 18 + 7.4 * longest, WIDTH - 14, Scale.step(to - from, 8));
        for (List<?> span : rows(data, "spans")) {
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
                svg.words(
                        x.at(start) + 4,
                        top + ROW * lane + 15,
                        colour,
                        List.of(words, brief).stream()
                                .filter(one -> one.length() * 6 + 6 < wide)
                                .findFirst()
                                .orElse(""));
            }
        }
        for (int lane = 0; lane < lanes.size(); lane++) {
            svg.text(x.left - 8, top + ROW * lane + 16, "end", "ink", text(lanes.get(lane), "name"));
        }
        int bottom = top + ROW * lanes.size();
        for (double tick : x.ticks()) {
            if (tick > x.from && tick < x.to) {
                svg.text(x.at(tick), bottom + 16, "middle", "soft", Scale.seconds(tick * 1e-6));
            }
        }
        return bottom + 30;
    }

    private int areas() {
        List<Map<String, ?>> layers = maps("layers");
        legend(layers, layers.stream().map(layer -> text(layer, "colour")).toList());
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
            svg.path(paths.get(layer), text(layers.get(layer), "colour"), true, "");
        }
        axes(y, x, text("unit"));
        for (double tick : x.ticks()) {
            if (tick < end) {
                svg.text(x.at(tick), top + PLOT + 16, "middle", "soft", Scale.seconds(tick));
            }
        }
        limit(y.at(number(data.get("limit"))), x.left, x.right, false);
        return top + PLOT + 50;
    }

    private int gap() {
        Map<String, ?> slow = runs("slow");
        Map<String, ?> fast = runs("fast");
        List<GapFigure.Part> parts = GapFigure.parts(list(data, "parts"), list(slow, "ps"), list(fast, "ps"));
        double least = 0;
        double most = 0;
        for (GapFigure.Part part : parts) {
            least = Math.min(least, Math.min(part.from(), part.to()));
            most = Math.max(most, Math.max(part.from(), part.to()));
        }
        double by = Scale.step(most - least, 8);
        Scale x = new Scale(-Scale.above(-least, by), Math.max(by, Scale.above(most, by)), LEFT, RIGHT, by);
        int y = top;
        for (GapFigure.Part part : parts) {
            svg.text(LEFT - 8, y + 15, "end", "ink", part.name());
            double left = x.at(Math.min(part.from(), part.to()));
            double right = x.at(Math.max(part.from(), part.to()));
            String colour = part.isSum() ? "total" : part.to() >= part.from() ? "less" : "more";
            svg.rect(left, y + 2, right - left, ROW - 6, colour);
            svg.text(right + 6, y + 15, "start", "ink", part.text());
            y += ROW;
        }
        ticks(x, y, parts.get(0).unit() + " saved per " + text("per"));
        return y + 44;
    }

    private Map<String, ?> runs(String which) {
        return maps("runs").get((int) number(data.get(which)));
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

    private void axes(Scale y, Scale x, String beside) {
        for (double tick : y.ticks()) {
            svg.line(x.left, y.at(tick), x.right, y.at(tick), tick == y.from ? "soft" : "rule", "");
            svg.text(x.left - 6, y.at(tick) + 4, "end", "soft", Scale.words(tick));
        }
        svg.text(x.left, top - 10, "start", "soft", beside);
    }

    private void ticks(Scale x, int y, String unit) {
        for (double tick : x.ticks()) {
            svg.text(x.at(tick), y + 16, "middle", "soft", Scale.words(tick));
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

    /**
     * From values to pixels.
     *
     * @param by distance of ticks
     */
    private record Scale(double from, double to, double left, double right, double by) {
        /** 1, 2 or 5 times a power of ten, as report.js has it. */
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

        /** Four digits, as the page's axes of time have them. */
        static String seconds(double value) {
            double scaled = value == 0 || value >= 1 ? value : value >= 1e-3 ? value * 1e3 : value * 1e6;
            BigDecimal digits = new BigDecimal(scaled)
                    .round(new MathContext(4, RoundingMode.HALF_UP))
                    .stripTrailingZeros();
            return digits.toPlainString() + (value == 0 || value >= 1 ? " s" : value >= 1e-3 ? " ms" : " us");
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
