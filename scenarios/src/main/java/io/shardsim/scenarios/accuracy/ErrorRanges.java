package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.scenarios.accuracy.RecordedErrors.Row;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * How far off a run may be that no published source has measured. The range is that of the errors of the {@value #SOURCES} sources whose figures are most like
 * the run, one figure each, wider at both ends by what it takes for {@value #COVERAGE} of all recorded figures to lie within a range that was made without
 * their own source.
 *
 * <p>This is split conformal prediction, with each source left out in turn [1]. A source counts once, however many runs it published: their errors are alike.
 *
 * <p>[1] R. F. Barber, E. J. Candes, A. Ramdas, R. J. Tibshirani, Predictive inference with the jackknife+, Annals of Statistics 49 (2021).
 */
final class ErrorRanges {
    static final double COVERAGE = 0.8;

    private static final int SOURCES = 5;

    /** Runs whose nearest source is farther are told nothing. */
    private static final double DISTANCE_MAX = 6;

    private final List<Row> rows;
    private final ToDoubleFunction<Row> error;
    private final BiPredicate<Likeness, Likeness> comparable;
    /** State: guarded by this; NaN until a range is asked for, for most runs ask for one kind of figure only. */
    private double widening = Double.NaN;

    /**
     * @param error of a figure [1]
     * @param comparable whether one figure may speak for another
     */
    ErrorRanges(List<Row> rows, ToDoubleFunction<Row> error, BiPredicate<Likeness, Likeness> comparable) {
        this.rows = rows;
        this.error = error;
        this.comparable = comparable;
    }

    /** Both ends are moved by this [1]; negative where ranges cover more than they are to. */
    private synchronized double widening() {
        if (!Double.isNaN(widening)) {
            return widening;
        }
        double[] missing = rows.stream()
                .map(row -> missing(row, nearest(row.likeness(), row.source())))
                .flatMap(Optional::stream)
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
        int enough = (int) Math.ceil(COVERAGE * (missing.length + 1)) - 1;
        widening = missing.length == 0 ? 0 : missing[Math.min(enough, missing.length - 1)];
        return widening;
    }

    /** How far a figure lies outside the range of others, negative where it lies inside; empty where there are none. */
    private Optional<Double> missing(Row row, List<Row> others) {
        if (others.isEmpty()) {
            return Optional.empty();
        }
        double own = error.applyAsDouble(row);
        double[] errors = others.stream().mapToDouble(error).sorted().toArray();
        return Optional.of(Math.max(errors[0] - own, own - errors[errors.length - 1]));
    }

    /** The range for a run; empty where nothing like it was published. */
    Optional<ErrorInterval> of(Likeness run) {
        return range(nearest(run, ""));
    }

    /** The same of a world in which a source was never read. */
    ErrorRanges without(String source) {
        return new ErrorRanges(
                rows.stream().filter(row -> !row.source().equals(source)).toList(), error, comparable);
    }

    Set<String> sources() {
        return rows.stream().map(Row::source).collect(Collectors.toCollection(TreeSet::new));
    }

    List<Row> rowsOf(String source) {
        return rows.stream().filter(row -> row.source().equals(source)).toList();
    }

    double error(Row row) {
        return error.applyAsDouble(row);
    }

    private Optional<ErrorInterval> range(List<Row> nearest) {
        if (nearest.isEmpty()) {
            return Optional.empty();
        }
        double[] errors = nearest.stream().mapToDouble(error).sorted().toArray();
        double middle = (errors[0] + errors[errors.length - 1]) / 2;
        return Optional.of(new ErrorInterval(
                COVERAGE,
                Math.min(middle, errors[0] - widening()),
                Math.max(middle, errors[errors.length - 1] + widening()),
                nearest.stream()
                        .map(row -> new ErrorInterval.Near(row.id(), row.role(), error.applyAsDouble(row)))
                        .toList()));
    }

    /** The most similar figure of each source, of the most similar sources; nothing where none is similar. */
    private List<Row> nearest(Likeness run, String without) {
        Map<String, Near> ofSource = new LinkedHashMap<>();
        for (Row row : rows) {
            if (!row.source().equals(without) && comparable.test(row.likeness(), run)) {
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
