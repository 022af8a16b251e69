package io.shardsim.reports.writing.html;

import io.shardsim.reports.ShortNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.IntFunction;

/**
 * A figure against the number of GPUs, one line per series, with a dashed line for what would be ideal. Series differ by colour, marker and
 * dash; wide drawings name them at the end of the line.
 */
final class LineChart {
    /**
     * @param text what the pointer shows
     */
    record Point(double gpus, double value, String text) {}

    record Series(String name, List<Point> points) {}

    private static final double TEXT_WIDTH = 6.6;
    private static final double LINE_HEIGHT = 16;
    /** Characters of a name at the end of its line. */
    private static final int NAME_MAX = 31;

    private final String description;
    private final String unit;
    private final List<Series> series;
    private final List<Point> ideal;
    private final IntFunction<Axis> axis;
    private final boolean evenSpacing;

    /**
     * @param axis for a number of ticks, the vertical axis
     * @param evenSpacing true to draw clusters at equal distances, false to draw them in proportion to their GPUs
     */
    LineChart(
            String description,
            String unit,
            List<Series> series,
            List<Point> ideal,
            IntFunction<Axis> axis,
            boolean evenSpacing) {
        this.description = description;
        this.unit = unit;
        this.series = series;
        this.ideal = ideal;
        this.axis = axis;
        this.evenSpacing = evenSpacing;
    }

    Figure figure(Figure.Table table) {
        List<Figure.Key> keys = new ArrayList<>();
        for (int i = 0; i < series.size(); i++) {
            keys.add(Figure.lineKey(i, series.get(i).name()));
        }
        return new Figure(draw(Figure.WIDE, 380, true), draw(Figure.NARROW, 270, false), keys, table);
    }

    private String draw(int width, int height, boolean labels) {
        Frame frame = new Frame(width, height, labels);
        Svg svg = new Svg(width, height, description);
        drawGrid(svg, frame);
        drawIdeal(svg, frame);
        for (int i = 0; i < series.size(); i++) {
            drawSeries(svg, frame, i);
        }
        if (labels) {
            drawNames(svg, frame);
        }
        return svg.close();
    }

    private Map<String, String> shortNames() {
        return ShortNames.of(series.stream().map(Series::name).toList(), NAME_MAX);
    }

    /** Where things go in one drawing. */
    private final class Frame {
        final double left = 48;
        final double right;
        final double top = 26;
        final double bottom;
        final Axis vertical;
        final List<Double> clusters;

        Frame(int width, int height, boolean labels) {
            int longest = shortNames().values().stream()
                    .mapToInt(String::length)
                    .max()
                    .orElse(0);
            double names = Math.min(width * 0.33, longest * TEXT_WIDTH + 14);
            right = width - (labels ? names : 14);
            bottom = height - 40;
            vertical = axis.apply(labels ? 6 : 4);
            TreeSet<Double> distinct = new TreeSet<>();
            series.forEach(s -> s.points().forEach(p -> distinct.add(p.gpus())));
            clusters = new ArrayList<>(distinct);
        }

        double x(double gpus) {
            if (evenSpacing) {
                double first = left + 16;
                int last = clusters.size() - 1;
                return first + (right - 8 - first) * clusters.indexOf(gpus) / Math.max(1, last);
            }
            return left + (right - 8 - left) * gpus / clusters.get(clusters.size() - 1);
        }

        double y(double value) {
            return bottom - (bottom - top) * value / vertical.max();
        }
    }

    private void drawGrid(Svg svg, Frame frame) {
        svg.text(0, 12, "start", "axis-name", unit);
        for (int tick = 0; tick <= frame.vertical.ticks(); tick++) {
            double y = frame.y(frame.vertical.value(tick));
            svg.line(frame.left, y, frame.right, y, tick == 0 ? "axis" : "grid");
            svg.text(frame.left - 8, y + 4, "end", "tick", frame.vertical.label(tick));
        }
        double free = Double.MAX_VALUE;
        for (int i = frame.clusters.size() - 1; i >= 0; i--) {
            double gpus = frame.clusters.get(i);
            double x = frame.x(gpus);
            svg.line(x, frame.bottom, x, frame.bottom + 4, "axis");
            if (x < free) {
                svg.text(x, frame.bottom + 18, "middle", "tick", String.valueOf((long) gpus));
                free = x - 28;
            }
        }
        svg.text((frame.left + frame.right) / 2, frame.bottom + 35, "middle", "axis-name", "GPUs");
    }

    private void drawIdeal(Svg svg, Frame frame) {
        if (ideal.size() < 2) {
            return;
        }
        draw(svg, frame, ideal, "ideal");
        Point before = ideal.get(ideal.size() - 2);
        Point last = ideal.get(ideal.size() - 1);
        double share = evenSpacing ? 0.5 : 0.62;
        double x = frame.x(before.gpus()) + share * (frame.x(last.gpus()) - frame.x(before.gpus()));
        double y = frame.y(before.value()) + share * (frame.y(last.value()) - frame.y(before.value()));
        svg.text(x - 8, y - 6, "end", "tick", "linear");
    }

    private void drawSeries(Svg svg, Frame frame, int index) {
        List<Point> points = series.get(index).points();
        draw(svg, frame, points, "series s" + index % 8);
        for (Point point : points) {
            svg.marker(frame.x(point.gpus()), frame.y(point.value()), index, "marker s" + index % 8, point.text());
        }
    }

    private static void draw(Svg svg, Frame frame, List<Point> points, String style) {
        double[] xs = new double[points.size()];
        double[] ys = new double[points.size()];
        for (int i = 0; i < xs.length; i++) {
            xs[i] = frame.x(points.get(i).gpus());
            ys[i] = frame.y(points.get(i).value());
        }
        svg.polyline(xs, ys, style);
    }

    /** Names stand beside the last point of their line, pushed apart where they would touch. */
    private void drawNames(Svg svg, Frame frame) {
        record Name(int series, double y) {}
        List<Name> names = new ArrayList<>();
        for (int i = 0; i < series.size(); i++) {
            List<Point> points = series.get(i).points();
            if (!points.isEmpty()) {
                names.add(new Name(i, frame.y(points.get(points.size() - 1).value())));
            }
        }
        names.sort(Comparator.comparingDouble(Name::y));
        Map<String, String> shortNames = shortNames();
        double[] ys = new double[names.size()];
        for (int i = 0; i < ys.length; i++) {
            ys[i] = i == 0 ? names.get(0).y() : Math.max(names.get(i).y(), ys[i - 1] + LINE_HEIGHT);
        }
        for (int i = ys.length - 1; i >= 0; i--) {
            ys[i] = Math.min(ys[i], i == ys.length - 1 ? frame.bottom : ys[i + 1] - LINE_HEIGHT);
            int s = names.get(i).series();
            svg.text(
                    frame.right + 6,
                    ys[i] + 4,
                    "start",
                    "name t" + s % 8,
                    shortNames.getOrDefault(series.get(s).name(), ""));
        }
    }
}
