package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.scenarios.accuracy.RecordedErrors.Row;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Expected error ranges of runs that no published source has measured. The {@value #SOURCES} most similar sources give one figure each. The range is
 * centred on their median error; its width is their spread times the factor with which {@value #COVERAGE} of all recorded figures lie in the range
 * made without their own source.
 *
 * <p>Only figures that set no constant count, each with its first error: its error before anyone had looked at it, as for a new run. Figures whose
 * source states everything that decides them are a separate class, as are runs that do.
 *
 * <p>This is conformal prediction with locally weighted residuals [1], leaving out one source at a time [2]. A source counts once, however many runs
 * it published, since their errors are alike. Median and median deviation keep one outlier from deciding.
 *
 * <p>[1] J. Lei, M. G'Sell, A. Rinaldo, R. J. Tibshirani, L. Wasserman, Distribution-free predictive inference for regression, JASA 113 (2018),
 * section 5.2.
 *
 * <p>[2] R. F. Barber, E. J. Candes, A. Ramdas, R. J. Tibshirani, Predictive inference with the jackknife+, Annals of Statistics 49 (2021).
 */
final class ErrorRanges {
    static final double COVERAGE = 0.8;

    private static final int SOURCES = 7;

    /** Minimum number of sources; one alone does not show the spread. */
    private static final int SOURCES_MIN = 2;

    /** Minimum spread: sources may agree by chance, and runs of one setup differ by this much [1]. */
    private static final double DEVIATION_MIN = 0.03;

    /** Minimum sources per class; a smaller class uses the figures of both, since a quantile of a few sources is that of one of them. */
    private static final int SOURCES_OF_A_CLASS = 15;

    /** Maximum distance of the nearest source; runs beyond it get no range. */
    private static final double DISTANCE_MAX = 6;

    private final List<Row> rows;
    private final ToDoubleBiFunction<Row, Double> error;
    /** State: guarded by this; computed per class on demand, since most runs need only one. */
    private final Map<Boolean, Double> deviations = new HashMap<>();

    /** @param error error of a figure, given its simulated value [1] */
    ErrorRanges(List<Row> rows, ToDoubleBiFunction<Row, Double> error) {
        this.rows = rows;
        this.error = error;
    }

    /** Returns half the width of a range in deviations, for runs that state everything or for others [1]. */
    private synchronized double deviations(boolean saysAll) {
        return deviations.computeIfAbsent(saysAll, this::neededByMost);
    }

    private double neededByMost(boolean saysAll) {
        List<Row> all = rows.stream().filter(Row::isValidation).toList();
        List<Row> own = all.stream().filter(row -> row.saysAll() == saysAll).toList();
        List<Row> judged = own.stream().map(Row::source).distinct().count() < SOURCES_OF_A_CLASS ? all : own;
        double[] needed = judged.stream()
                .map(row -> needed(row, nearest(row.likeness(), row.source())))
                .flatMap(Optional::stream)
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
        int enough = (int) Math.ceil(COVERAGE * (needed.length + 1)) - 1;
        return needed.length == 0 ? 0 : needed[Math.min(enough, needed.length - 1)];
    }

    /** Returns the distance of a figure's error from the median of others, in their deviations; empty if there are no others. */
    private Optional<Double> needed(Row row, List<Row> others) {
        if (others.isEmpty()) {
            return Optional.empty();
        }
        double[] errors = errors(others);
        return Optional.of(Math.abs(firstError(row) - median(errors)) / deviation(errors));
    }

    private double[] errors(List<Row> some) {
        return some.stream().mapToDouble(this::error).toArray();
    }

    /** Returns the median distance from the median [1]. */
    private static double deviation(double[] errors) {
        double middle = median(errors);
        return DEVIATION_MIN
                + median(Arrays.stream(errors)
                        .map(each -> Math.abs(each - middle))
                        .toArray());
    }

    private static double median(double[] values) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /** Returns the range of a run; empty if nothing similar was published. */
    Optional<ErrorInterval> of(ScenarioPoint point) {
        Likeness run = Likeness.of(point);
        long parameters = Likeness.parametersOf(point);
        return range(
                nearest(run, ""),
                saysAll(point),
                row -> isOnlyOf(row, run, parameters) ? row.samplesPerSecond() : null);
    }

    /** Returns the figure most similar to a run, preferring an equal parameter count in ties; empty if none is similar. */
    Optional<ErrorInterval.Near> nearest(ScenarioPoint point) {
        Likeness run = Likeness.of(point);
        double parameters = Likeness.parametersOf(point);
        return nearest(run, "").stream()
                .min(Comparator.<Row>comparingDouble(row -> row.likeness().distance(run))
                        .thenComparingDouble(row -> Math.abs(row.run().parameters() - parameters)))
                .map(row -> new ErrorInterval.Near(row.id(), row.run().role(), error(row), null));
    }

    /** Returns the range that a published run would have been given. */
    Optional<ErrorInterval> of(Row row) {
        return range(nearest(row.likeness(), ""), row.saysAll(), near -> null);
    }

    /** Returns whether a run names the training's software, and the network if it has several nodes. */
    private static boolean saysAll(ScenarioPoint point) {
        Set<String> given = point.given().keySet();
        boolean software = given.contains("framework") || !(point.task() instanceof Task.Training);
        boolean network =
                point.cluster().nodes() == 1 || given.contains("cluster.instance") || given.contains("cluster.nic");
        return software && network;
    }

    /** Returns whether a figure measures the run itself and its source has no other: of several settings, none represents the run. */
    private boolean isOnlyOf(Row row, Likeness run, long parameters) {
        return row.isOf(run, parameters)
                && rowsOf(row.source()).stream()
                                .filter(each -> each.isOf(run, parameters))
                                .count()
                        == 1;
    }

    /** Returns the ranges as if a source had never been read. */
    ErrorRanges without(String source) {
        return new ErrorRanges(
                rows.stream().filter(row -> !row.source().equals(source)).toList(), error);
    }

    Set<String> sources() {
        return rows.stream().map(Row::source).collect(Collectors.toCollection(TreeSet::new));
    }

    List<Row> rowsOf(String source) {
        return rows.stream().filter(row -> row.source().equals(source)).toList();
    }

    private double error(Row row) {
        return error.applyAsDouble(row, row.today());
    }

    double firstError(Row row) {
        return error.applyAsDouble(row, row.first());
    }

    private Optional<ErrorInterval> range(
            List<Row> nearest, boolean saysAll, Function<Row, @Nullable Double> measured) {
        if (nearest.size() < SOURCES_MIN) {
            return Optional.empty();
        }
        double[] errors = errors(nearest);
        double middle = median(errors);
        double reach = deviations(saysAll) * deviation(errors);
        return Optional.of(new ErrorInterval(
                COVERAGE,
                middle - reach,
                middle + reach,
                nearest.stream()
                        .map(row -> new ErrorInterval.Near(row.id(), row.run().role(), error(row), measured.apply(row)))
                        .toList()));
    }

    /** Returns the most similar figure of each of the most similar sources; empty if none is similar. */
    private List<Row> nearest(Likeness run, String without) {
        Map<String, Near> ofSource = new LinkedHashMap<>();
        for (Row row : rows) {
            if (!row.source().equals(without) && row.likeness().sameWork(run)) {
                ofSource.merge(
                        row.source(),
                        new Near(row, row.likeness().distance(run)),
                        (one, other) -> other.distance() < one.distance() ? other : one);
            }
        }
        List<Near> nearest = ofSource.values().stream()
                .sorted(Comparator.comparingDouble(Near::distance)
                        .thenComparing(near -> near.row().id()))
                .limit(SOURCES)
                .toList();
        return nearest.isEmpty() || nearest.get(0).distance() > DISTANCE_MAX
                ? List.of()
                : nearest.stream().map(Near::row).toList();
    }

    private record Near(Row row, double distance) {}
}
