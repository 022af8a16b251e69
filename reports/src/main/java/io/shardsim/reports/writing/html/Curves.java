package io.shardsim.reports.writing.html;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.ShortNames;
import io.shardsim.reports.writing.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Charts of figures over the number of GPUs, one line per series; absent if all runs have the same number. */
final class Curves {
    static final int SERIES_MAX = 8;
    private static final int HEIGHT = 340;
    /** Maximum characters of a name in a legend. */
    private static final int NAME_MAX = 38;

    /** Maximum relative difference at which a published run with the same settings, simulated, counts as a run here. */
    private static final double SAME_RUN = 0.05;

    private final ScenarioResult result;

    Curves(ScenarioResult result) {
        this.result = result;
    }

    /**
     * A point of a curve.
     *
     * @param low lower end of the range of 80 % of similar runs; NaN if nothing similar was published
     * @param note remark shown after its value
     */
    private record Point(int gpus, double value, double low, double high, String note) {
        Point(int gpus, double value) {
            this(gpus, value, Double.NaN, Double.NaN, "");
        }
    }

    /**
     * A line of a chart.
     *
     * @param published published measurements of its runs
     */
    private record Series(String name, List<Point> points, List<Point> published) {}

    /** Returns samples per second of each series, and linear scaling from the smallest cluster's best rate per GPU. */
    @Nullable
    Figure throughput() {
        List<Series> series = series(
                run -> run.training() == null ? Double.NaN : run.training().samplesPerSecond(), true);
        return figure(
                "throughput",
                "Throughput by cluster size",
                "Samples per second vs. GPUs, one line per strategy",
                "samples/s",
                Quantities::significant,
                series,
                linear(series));
    }

    /** Returns throughput per GPU relative to the smallest cluster. */
    @Nullable
    Figure efficiency() {
        List<Series> series = series(Curves::efficiencyOf, false);
        List<Point> ideal =
                clusters(series).stream().map(g -> new Point(g, 100)).toList();
        return figure(
                "efficiency",
                "Scaling efficiency",
                "Scaling efficiency vs. GPUs, one line per strategy",
                "%",
                value -> Quantities.fixed(value, 1),
                series,
                ideal);
    }

    /** Returns the bus bandwidth of a bare collective. */
    @Nullable
    Figure busBandwidth() {
        List<Series> series = series(
                run -> run.collective() == null ? Double.NaN : run.collective().busBytesPerSecond() * 1e-9, true);
        return figure(
                "throughput",
                "Bus bandwidth by cluster size",
                "Bus bandwidth vs. GPUs",
                "GB/s",
                Quantities::significant,
                series,
                List.of());
    }

    private static double efficiencyOf(RunResult run) {
        ScalingEfficiency scaling = run.scaling();
        return scaling == null ? Double.NaN : 100 * scaling.efficiency();
    }

    /** Returns a point; a rate has the range of similar published runs: measured is simulated over one plus the error. */
    private static Point point(RunResult run, double value, String note, boolean rate) {
        ErrorInterval error = rate ? run.facts().accuracy() : null;
        return error == null
                ? new Point(run.gpus(), value, Double.NaN, Double.NaN, note)
                : new Point(run.gpus(), value, value / (1 + error.high()), value / (1 + error.low()), note);
    }

    /** Returns published measurements of this run; excludes those with other settings, such as another attention, whose simulated rate differs. */
    private static List<Point> published(RunResult run, double value) {
        ErrorInterval error = run.facts().accuracy();
        List<Point> points = new ArrayList<>();
        for (ErrorInterval.Near near : error == null ? List.<ErrorInterval.Near>of() : error.nearest()) {
            if (near.samplesPerSecond() != null
                    && Math.abs(value / (near.samplesPerSecond() * (1 + near.error())) - 1) <= SAME_RUN) {
                points.add(new Point(
                        run.gpus(),
                        near.samplesPerSecond(),
                        Double.NaN,
                        Double.NaN,
                        ", published: " + near.id() + " (" + near.role() + ")"));
            }
        }
        return points;
    }

    private static String note(RunResult run, List<RunResult> series) {
        ScalingEfficiency scaling = run.scaling();
        return (run.isTight() ? ", tight" : "")
                + (run.training() != null && ScalingEfficiency.changesMicroBatch(run, series)
                        ? ", micro-batch changes to " + run.facts().model().microBatch()
                        : "")
                + (scaling == null || scaling.cause().isEmpty() ? "" : ", superlinear: " + scaling.cause());
    }

    private List<Series> series(Function<RunResult, Double> figure, boolean rate) {
        List<Series> all = new ArrayList<>();
        result.series().forEach((name, runs) -> {
            List<Point> points = new ArrayList<>();
            List<Point> published = new ArrayList<>();
            for (RunResult run : runs) {
                double value = figure.apply(run);
                if (!Double.isNaN(value)) {
                    points.add(point(run, value, note(run, runs), rate));
                    if (rate) {
                        published.addAll(published(run, value));
                    }
                }
            }
            all.add(new Series(name, points, published));
        });
        return highest(all);
    }

    /** Returns at most eight lines, which can be distinguished: those that end highest, in their own order. */
    private static List<Series> highest(List<Series> all) {
        List<Series> byEnd = new ArrayList<>(all);
        byEnd.removeIf(s -> s.points().isEmpty());
        byEnd.sort(Comparator.comparingDouble(
                        (Series s) -> s.points().get(s.points().size() - 1).value())
                .reversed());
        List<Series> kept = byEnd.subList(0, Math.min(SERIES_MAX, byEnd.size()));
        return all.stream().filter(kept::contains).toList();
    }

    /** Returns the number of series without a curve. */
    int leftOut() {
        return Math.max(0, result.series().size() - SERIES_MAX);
    }

    private static @Nullable Figure figure(
            String id,
            String title,
            String alt,
            String unit,
            Function<Double, String> words,
            List<Series> series,
            List<Point> ideal) {
        if (clusters(series).size() < 2) {
            return null;
        }
        Map<String, String> names =
                ShortNames.of(series.stream().map(Series::name).toList(), NAME_MAX);
        JsonObject data = new JsonObject()
                .with("unit", unit)
                .with("x", "GPUs")
                .with("xs", List.copyOf(clusters(series)))
                .list(
                        "series",
                        series,
                        one -> new JsonObject()
                                .with("name", names.getOrDefault(one.name(), one.name()))
                                .with("points", points(one.points(), unit, words))
                                .with("published", points(one.published(), unit, words)))
                .with("ideal", points(ideal, unit, words));
        return new Figure(id, Figure.Kind.LINES, title, alt, HEIGHT, data, table(series, unit, words));
    }

    /** Returns position, value and label of points. */
    private static List<List<Object>> points(List<Point> points, String unit, Function<Double, String> words) {
        return points.stream()
                .map(p -> {
                    boolean range = !Double.isNaN(p.low());
                    String text = words.apply(p.value()) + " " + unit
                            + (range ? " (80 %: " + words.apply(p.low()) + " to " + words.apply(p.high()) + ")" : "")
                            + p.note();
                    boolean marked = p.note().contains("micro-batch changes");
                    return range
                            ? List.<Object>of(
                                    p.gpus(),
                                    Figure.number(p.value()),
                                    text,
                                    marked,
                                    Figure.number(p.low()),
                                    Figure.number(p.high()))
                            : List.<Object>of(p.gpus(), Figure.number(p.value()), text, marked);
                })
                .toList();
    }

    private static SortedSet<Integer> clusters(List<Series> series) {
        SortedSet<Integer> gpus = new TreeSet<>();
        series.forEach(s -> s.points().forEach(p -> gpus.add(p.gpus())));
        return gpus;
    }

    /** Returns linear scaling from the best point of the smallest cluster. */
    private static List<Point> linear(List<Series> series) {
        return series.stream()
                .flatMap(one -> one.points().stream())
                .min(Comparator.comparingInt(Point::gpus)
                        .thenComparing(Comparator.comparingDouble(Point::value).reversed()))
                .map(best -> clusters(series).stream()
                        .map(gpus -> new Point(gpus, best.value() / best.gpus() * gpus))
                        .toList())
                .orElse(List.of());
    }

    private static Figure.Table table(List<Series> series, String unit, Function<Double, String> words) {
        Columns<Integer> columns = new Columns<Integer>().figure("GPUs", String::valueOf);
        series.forEach(s -> columns.figure(
                s.name() + " [" + unit + "]",
                g -> s.points().stream()
                                .filter(p -> p.gpus() == g)
                                .findFirst()
                                .map(p -> words.apply(p.value()))
                                .orElse("\u2013")
                        + s.published().stream()
                                .filter(p -> p.gpus() == g)
                                .map(p -> " (published " + words.apply(p.value()) + ")")
                                .collect(Collectors.joining())));
        return columns.of(List.copyOf(clusters(series)));
    }
}
