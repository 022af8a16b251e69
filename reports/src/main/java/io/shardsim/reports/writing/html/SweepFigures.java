package io.shardsim.reports.writing.html;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.html.LineChart.Point;
import io.shardsim.reports.writing.html.LineChart.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Figures against the number of GPUs; absent where all runs have the same number. */
final class SweepFigures {
    private static final int SERIES_MAX = 8;

    private final ScenarioResult result;

    SweepFigures(ScenarioResult result) {
        this.result = result;
    }

    /** Samples per second of each series, and what the smallest cluster's best rate per GPU would come to. */
    @Nullable
    Figure throughput() {
        List<Series> series = series(
                run -> run.training() == null ? Double.NaN : run.training().samplesPerSecond(),
                value -> Quantities.significant(value) + " samples/s");
        if (!hasCurve(series)) {
            return null;
        }
        List<Point> ideal = linear(series);
        double max = Math.max(largest(series), largest(List.of(new Series("", ideal))));
        return new LineChart(
                        "Samples per second against GPUs, one line per strategy",
                        "samples/s",
                        series,
                        ideal,
                        ticks -> Axis.upTo(max, ticks),
                        false)
                .figure(table(series, "samples/s", Quantities::significant));
    }

    /** Throughput per GPU against the smallest cluster. */
    @Nullable
    Figure efficiency() {
        List<Series> series = series(SweepFigures::efficiencyOf, Quantities::percent);
        List<Series> percent = series.stream()
                .map(s -> new Series(
                        s.name(),
                        s.points().stream()
                                .map(p -> new Point(p.gpus(), 100 * p.value(), p.text()))
                                .toList()))
                .toList();
        if (!hasCurve(percent)) {
            return null;
        }
        TreeSet<Double> gpus = new TreeSet<>();
        percent.forEach(s -> s.points().forEach(p -> gpus.add(p.gpus())));
        List<Point> ideal = gpus.stream().map(g -> new Point(g, 100, "")).toList();
        return new LineChart(
                        "Scaling efficiency against GPUs, one line per strategy",
                        "%",
                        percent,
                        ideal,
                        ticks -> Axis.upTo(Math.max(100, largest(percent)), ticks),
                        true)
                .figure(table(percent, "%", value -> Quantities.fixed(value, 1)));
    }

    /** Bus bandwidth of a bare collective. */
    @Nullable
    Figure busBandwidth() {
        List<Series> series = series(
                run -> {
                    BusBandwidth speed = run.collective();
                    return speed == null ? Double.NaN : speed.busBytesPerSecond() * 1e-9;
                },
                value -> Quantities.significant(value) + " GB/s");
        if (!hasCurve(series)) {
            return null;
        }
        return new LineChart(
                        "Bus bandwidth against GPUs",
                        "GB/s",
                        series,
                        List.of(),
                        ticks -> Axis.upTo(largest(series), ticks),
                        true)
                .figure(table(series, "GB/s", Quantities::significant));
    }

    private static double efficiencyOf(RunResult run) {
        ScalingEfficiency scaling =
                run.training() == null ? null : run.training().scaling();
        return scaling == null ? Double.NaN : scaling.efficiency();
    }

    private List<Series> series(Function<RunResult, Double> figure, Function<Double, String> words) {
        List<Series> all = new ArrayList<>();
        for (Map.Entry<String, List<RunResult>> entry : result.series().entrySet()) {
            List<Point> points = new ArrayList<>();
            for (RunResult run : entry.getValue()) {
                double value = figure.apply(run);
                if (!Double.isNaN(value)) {
                    points.add(new Point(
                            run.gpus(),
                            value,
                            entry.getKey() + ", " + Quantities.counted(run.gpus(), "GPU") + ": " + words.apply(value)));
                }
            }
            all.add(new Series(entry.getKey(), points));
        }
        return highest(all);
    }

    /** Eight lines can be told apart; of more, those that end highest, in their own order. */
    private static List<Series> highest(List<Series> all) {
        List<Series> byEnd = new ArrayList<>(all);
        byEnd.removeIf(s -> s.points().isEmpty());
        byEnd.sort(Comparator.comparingDouble(
                        (Series s) -> s.points().get(s.points().size() - 1).value())
                .reversed());
        List<Series> kept = byEnd.subList(0, Math.min(SERIES_MAX, byEnd.size()));
        return all.stream().filter(kept::contains).toList();
    }

    /** Series that curves do not show. */
    int leftOut() {
        return Math.max(0, result.series().size() - SERIES_MAX);
    }

    private static boolean hasCurve(List<Series> series) {
        return series.stream()
                        .flatMap(s -> s.points().stream())
                        .mapToDouble(Point::gpus)
                        .distinct()
                        .count()
                > 1;
    }

    /** From the best point of the smallest cluster, in proportion to the GPUs. */
    private static List<Point> linear(List<Series> series) {
        Point best = null;
        TreeSet<Double> gpus = new TreeSet<>();
        for (Series s : series) {
            for (Point point : s.points()) {
                gpus.add(point.gpus());
                if (best == null
                        || point.gpus() < best.gpus()
                        || (point.gpus() == best.gpus() && point.value() > best.value())) {
                    best = point;
                }
            }
        }
        List<Point> line = new ArrayList<>();
        if (best != null) {
            double perGpu = best.value() / best.gpus();
            gpus.forEach(g -> line.add(new Point(g, perGpu * g, "")));
        }
        return line;
    }

    private static double largest(List<Series> series) {
        return series.stream()
                .flatMap(s -> s.points().stream())
                .mapToDouble(Point::value)
                .max()
                .orElse(1);
    }

    private static Figure.Table table(List<Series> series, String unit, Function<Double, String> words) {
        TreeSet<Double> gpus = new TreeSet<>();
        series.forEach(s -> s.points().forEach(p -> gpus.add(p.gpus())));
        List<String> head = new ArrayList<>(List.of("GPUs"));
        List<Boolean> numeric = new ArrayList<>(List.of(true));
        for (Series s : series) {
            head.add(s.name() + " [" + unit + "]");
            numeric.add(true);
        }
        List<List<String>> rows = new ArrayList<>();
        for (double g : gpus) {
            List<String> row = new ArrayList<>(List.of(String.valueOf((long) g)));
            for (Series s : series) {
                row.add(s.points().stream()
                        .filter(p -> p.gpus() == g)
                        .findFirst()
                        .map(p -> words.apply(p.value()))
                        .orElse("\u2013"));
            }
            rows.add(row);
        }
        return new Figure.Table(head, numeric, rows);
    }
}
