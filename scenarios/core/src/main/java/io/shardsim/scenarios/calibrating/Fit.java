package io.shardsim.scenarios.calibrating;

import io.shardsim.topology.InstanceSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hipparchus.exception.MathRuntimeException;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.DiagonalMatrix;
import org.hipparchus.linear.LUDecomposition;
import org.hipparchus.linear.RealMatrix;
import org.hipparchus.linear.RealVector;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresBuilder;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresProblem;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LevenbergMarquardtOptimizer;
import org.hipparchus.util.Pair;
import org.jspecify.annotations.Nullable;

/**
 * Figures of an instance with which simulated times best match measured ones: least squares of the logarithms, robust against outliers (Tukey's
 * biweight, started from least absolute deviations). The catalog's values are priors, each with its own error. A prior's weight shrinks the further
 * the fitted value moves from it.
 *
 * @param values values by parameter, in their units; only those that the data determine
 * @param errors standard errors relative to the values [1]
 * @param open parameters that the data do not determine
 * @param quality goodness of the fit
 */
record Fit(Map<Parameter, Double> values, Map<Parameter, Double> errors, List<Parameter> open, Quality quality) {
    /** Neighbouring sizes share errors of the model: this many values count as one independent value. */
    private static final double ALIKE = 5;
    /** Minimum scatter of few measurements; a search starts with it, so that the tests decide where it leads [1]. */
    private static final double SCATTER_MIN = 0.005;
    /** Minimum scatter of many measurements, whose residuals show it. A higher one would draw figures that hardly matter to the catalog's [1]. */
    private static final double SCATTER_MIN_OF_MANY = 0.0005;

    private static final int MANY = 20;
    /** Standard deviations beyond which a value weighs less: so few that the fit nearly minimizes absolute deviations, which outliers barely move. */
    private static final double FAR = 0.2;
    /** Tukey's constant for the last rounds: standard deviations beyond which a value is ignored. */
    private static final double OUTSIDE = 4.685;

    private static final int LAST_ROUNDS = 2;
    /** Factor from the median absolute deviation to the standard deviation. */
    private static final double MEDIAN_TO_DEVIATION = 1.4826;
    /** Starting points of a search, as shares of the catalog's values. */
    private static final double[] STARTS = {1, 0.6, 0.3, 0.12, 0.05, 0.02, 0.008};
    /** Factor by which another starting point must reduce the error. */
    private static final double CLEARLY = 0.8;
    /** Finite-difference step of a slope, in logarithms. */
    private static final double STEP = 0.02;

    private static final int ROUNDS = 4;
    private static final int ITERATIONS = 8;
    private static final double CLOSE = 1e-3;

    /**
     * The distance of simulated from measured times.
     *
     * @param count number of measured values
     * @param catalog median error with the catalog's values [1]
     * @param median median error with the fitted values [1]
     * @param sizeLeftOut median error of each size in a fit without it [1]
     * @param nodesLeftOut median error of each node count in a fit without it; NaN if there is only one [1]
     */
    record Quality(int count, double catalog, double median, double sizeLeftOut, double nodesLeftOut) {}

    /**
     * A measured time.
     *
     * @param size bytes, or operations: values of the same size are left out together
     */
    record Sample(double seconds, long size, int nodes) {}

    /** Fits parameters to samples that determine them; the model returns simulated times for values of an instance file. */
    static Fit of(
            List<Sample> samples,
            List<Parameter> parameters,
            InstanceSpec base,
            Function<Map<String, Object>, double[]> model) {
        return samples.isEmpty() ? none(parameters) : new Search(samples, base, model).fit(parameters);
    }

    /** Returns this fit with further parameters that the data do not determine. */
    Fit leaving(List<Parameter> further) {
        return new Fit(values, errors, further, quality);
    }

    /** Returns resolved values by key of an instance file. */
    Map<String, Object> resolved() {
        Map<String, Object> resolved = new LinkedHashMap<>();
        values.forEach((parameter, value) -> resolved.put(parameter.key(), parameter.resolved(value)));
        return resolved;
    }

    /** Returns an empty fit, without measurements. */
    static Fit none(List<Parameter> parameters) {
        return new Fit(Map.of(), Map.of(), parameters, new Quality(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN));
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int last = sorted.length - 1;
        return last < 0 ? Double.NaN : (sorted[last / 2] + sorted[(last + 1) / 2]) / 2;
    }

    /** A search for the best values. */
    private static final class Search {
        private final List<Sample> samples;
        private final InstanceSpec base;
        private final Function<Map<String, Object>, double[]> model;
        private final RealVector measured;

        Search(List<Sample> samples, InstanceSpec base, Function<Map<String, Object>, double[]> model) {
            this.samples = samples;
            this.base = base;
            this.model = model;
            measured = new ArrayRealVector(samples.stream()
                    .mapToDouble(sample -> StrictMath.log(sample.seconds()))
                    .toArray());
        }

        /** Fits parameters, dropping, one by one, those that the tests determine less well than the catalog. */
        Fit fit(List<Parameter> parameters) {
            List<Parameter> left = new ArrayList<>(parameters);
            List<Parameter> open = new ArrayList<>();
            RealVector catalog = logs(left, start(left));
            double before = median(errors(measured.subtract(catalog)));
            Solution solution = solve(left);
            while (solution.untold().length > 0 && left.size() > 1) {
                Parameter dropped = dispensable(left, solution);
                open.add(dropped);
                left.remove(dropped);
                solution = solve(left);
            }
            if (solution.untold().length == 0) {
                return fit(left, open, solution, before);
            }
            open.addAll(left);
            return new Fit(Map.of(), Map.of(), open, new Quality(samples.size(), before, before, before, Double.NaN));
        }

        private Fit fit(List<Parameter> left, List<Parameter> open, Solution solution, double before) {
            Map<Parameter, Double> values = new LinkedHashMap<>();
            Map<Parameter, Double> errors = new LinkedHashMap<>();
            for (int i = 0; i < left.size(); i++) {
                values.put(left.get(i), StrictMath.exp(solution.point().getEntry(i)));
                errors.put(left.get(i), solution.errors()[i]);
            }
            return new Fit(
                    values,
                    errors,
                    List.copyOf(open),
                    new Quality(
                            samples.size(),
                            before,
                            median(errors(solution.residuals().getSubVector(0, samples.size()))),
                            leftOut(solution, Sample::size),
                            leftOut(solution, sample -> (long) sample.nodes())));
        }

        /**
         * Returns the error of each group in a fit without it; that fit is one Newton step from the full one, so it costs no runs.
         *
         * @return NaN if all are of one group
         */
        private double leftOut(Solution solution, Function<Sample, Long> group) {
            List<Double> errors = new ArrayList<>();
            Map<Long, List<Integer>> groups = IntStream.range(0, samples.size())
                    .boxed()
                    .collect(Collectors.groupingBy(i -> group.apply(samples.get(i))));
            if (groups.size() < 2) {
                return Double.NaN;
            }
            for (List<Integer> out : groups.values()) {
                double[] weights = solution.weights().clone();
                out.forEach(i -> weights[i] = 0);
                RealVector residuals = solution.residuals();
                RealVector moved = normal(solution.slopes(), weights)
                        .operate(solution.slopes().preMultiply(residuals.ebeMultiply(new ArrayRealVector(weights))));
                RealVector change = solution.slopes().operate(moved);
                out.forEach(i -> errors.add(Math.abs(StrictMath.expm1(change.getEntry(i) - residuals.getEntry(i)))));
            }
            return median(errors.stream().mapToDouble(Double::doubleValue).toArray());
        }

        /** Returns the inverse of the weighted normal matrix; directions that the data do not determine stay fixed. */
        private static RealMatrix normal(RealMatrix slopes, double[] weights) {
            RealMatrix squares =
                    slopes.transpose().multiply(new DiagonalMatrix(weights)).multiply(slopes);
            for (int i = 0; i < squares.getRowDimension(); i++) {
                squares.addToEntry(i, i, 1e-9);
            }
            return new LUDecomposition(squares).getSolver().getInverse();
        }

        private static double[] errors(RealVector residuals) {
            return Arrays.stream(residuals.toArray())
                    .map(residual -> Math.abs(StrictMath.expm1(-residual)))
                    .toArray();
        }

        /** Returns, of the parameters that the tests determine less well than the catalog, the one without which the others explain most. */
        private Parameter dispensable(List<Parameter> parameters, Solution solution) {
            Parameter best = parameters.get(solution.untold()[0]);
            double least = Double.POSITIVE_INFINITY;
            for (int i : solution.untold()) {
                List<Parameter> others = new ArrayList<>(parameters);
                Parameter one = others.remove(i);
                double error = solution.untold().length == 1
                        ? 0
                        : solve(others)
                                .residuals()
                                .getSubVector(0, samples.size())
                                .getL1Norm();
                if (error < least) {
                    least = error;
                    best = one;
                }
            }
            return best;
        }

        /**
         * The end of a search.
         *
         * @param point logarithms of the values
         * @param slopes derivatives of the logarithms of times and of the values themselves, by the values' logarithms
         * @param residuals logarithms of measured over simulated times, and of the catalog's values over the fitted ones
         * @param weights weights of both
         * @param errors relative standard errors
         * @param told error of each from the tests alone, relative to the catalog's error
         */
        private record Solution(
                RealVector point,
                RealMatrix slopes,
                RealVector residuals,
                double[] weights,
                double[] errors,
                double[] told) {
            /** Returns the parameters that the tests determine less well than the catalog. */
            int[] untold() {
                return IntStream.range(0, told.length).filter(i -> told[i] > 1).toArray();
            }
        }

        private Solution solve(List<Parameter> parameters) {
            RealVector point = nearestStart(parameters);
            double[] weights = weights(parameters, null, SCATTER_MIN, 0);
            for (int round = 0; round < ROUNDS; round++) {
                point = optimum(parameters, point, weights);
                RealVector residuals = known(parameters).subtract(all(parameters, point));
                double scatter = Math.max(
                        samples.size() < MANY ? SCATTER_MIN : SCATTER_MIN_OF_MANY,
                        MEDIAN_TO_DEVIATION
                                * median(Arrays.stream(residuals.toArray(), 0, samples.size())
                                        .map(Math::abs)
                                        .toArray()));
                weights = weights(parameters, residuals, scatter, round);
            }
            RealMatrix slopes = slopes(parameters, point);
            double[] tests = weights.clone();
            Arrays.fill(tests, samples.size(), tests.length, 0);
            RealMatrix both = normal(slopes, weights);
            RealMatrix alone = normal(slopes, tests);
            return new Solution(
                    point,
                    slopes,
                    known(parameters).subtract(all(parameters, point)),
                    weights,
                    IntStream.range(0, parameters.size())
                            .mapToDouble(i -> StrictMath.sqrt(both.getEntry(i, i)))
                            .toArray(),
                    IntStream.range(0, parameters.size())
                            .mapToDouble(i -> StrictMath.sqrt(alone.getEntry(i, i))
                                    / parameters.get(i).error())
                            .toArray());
        }

        /** Returns inverse squared errors of measured values, reduced for outliers, and of the catalog's values, reduced if tests contradict them. */
        private double[] weights(
                List<Parameter> parameters, @Nullable RealVector residuals, double scatter, int round) {
            double[] weights = new double[samples.size() + parameters.size()];
            for (int i = 0; i < weights.length; i++) {
                boolean test = i < samples.size();
                double error =
                        test ? scatter : parameters.get(i - samples.size()).error();
                double deviations = residuals == null ? 0 : Math.abs(residuals.getEntry(i)) / error;
                double inside = 1 - deviations * deviations / OUTSIDE / OUTSIDE;
                double share = !test
                        ? 1 / (1 + deviations * deviations)
                        : round < ROUNDS - LAST_ROUNDS
                                ? Math.min(1, FAR / Math.max(FAR, deviations))
                                : inside <= 0 ? 0 : inside * inside;
                weights[i] = share / (error * error) / (test ? ALIKE : 1);
            }
            return weights;
        }

        /** Returns logarithms of the measured times and of the catalog's values. */
        private RealVector known(List<Parameter> parameters) {
            return measured.append(start(parameters));
        }

        /** Returns logarithms of a point's simulated times and values. */
        private RealVector all(List<Parameter> parameters, RealVector point) {
            return logs(parameters, point).append(point);
        }

        private RealVector optimum(List<Parameter> parameters, RealVector start, double[] weights) {
            RealVector max = max(parameters);
            RealVector[] reached = {start};
            LeastSquaresProblem problem = new LeastSquaresBuilder()
                    .start(start)
                    .model(point -> new Pair<>(all(parameters, point), slopes(parameters, point)))
                    .target(known(parameters))
                    .weight(new DiagonalMatrix(weights))
                    .parameterValidator(point -> within(point, max))
                    .checker((iteration, before, after) -> {
                        reached[0] = after.getPoint();
                        return before.getPoint().getLInfDistance(after.getPoint()) < CLOSE;
                    })
                    .maxEvaluations(10 * ITERATIONS)
                    .maxIterations(ITERATIONS)
                    .build();
            try {
                return new LevenbergMarquardtOptimizer().optimize(problem).getPoint();
            } catch (MathRuntimeException stopped) {
                // Too flat to continue, or out of iterations: the next round continues from here.
                return reached[0];
            }
        }

        private static RealVector within(RealVector point, RealVector max) {
            RealVector bounded = point.copy();
            for (int i = 0; i < bounded.getDimension(); i++) {
                bounded.setEntry(i, Math.min(bounded.getEntry(i), max.getEntry(i)));
            }
            return bounded;
        }

        private RealVector start(List<Parameter> parameters) {
            return logs(parameters, parameter -> parameter.base().applyAsDouble(base));
        }

        private RealVector max(List<Parameter> parameters) {
            return logs(parameters, parameter -> parameter.max().applyAsDouble(base));
        }

        private static RealVector logs(List<Parameter> parameters, Function<Parameter, Double> value) {
            return new ArrayRealVector(parameters.stream()
                    .mapToDouble(parameter -> StrictMath.log(value.apply(parameter)))
                    .toArray());
        }

        /** Returns the starting point closest to the solution, as a share of the catalog's values. */
        private RealVector nearestStart(List<Parameter> parameters) {
            RealVector best = start(parameters);
            double least = Double.POSITIVE_INFINITY;
            for (double share : STARTS) {
                RealVector point = start(parameters);
                point.addToEntry(0, StrictMath.log(share));
                // Not the median: most sizes in most logs are latency-bound and say nothing about a rate.
                double error = measured.subtract(logs(parameters, point)).getL1Norm();
                if (error < CLEARLY * least) {
                    least = error;
                    best = point;
                }
            }
            return best;
        }

        /** Returns logarithms of simulated times. */
        private RealVector logs(List<Parameter> parameters, RealVector point) {
            Map<String, Object> changed = new LinkedHashMap<>();
            for (int i = 0; i < parameters.size(); i++) {
                changed.put(parameters.get(i).key(), parameters.get(i).resolved(StrictMath.exp(point.getEntry(i))));
            }
            return new ArrayRealVector(
                    Arrays.stream(model.apply(changed)).map(StrictMath::log).toArray());
        }

        private RealMatrix slopes(List<Parameter> parameters, RealVector point) {
            RealVector here = logs(parameters, point);
            RealMatrix slopes = new Array2DRowRealMatrix(samples.size() + parameters.size(), parameters.size());
            for (int i = 0; i < parameters.size(); i++) {
                RealVector beside = point.copy();
                // Towards lower rates, which never exceed the line rate.
                beside.addToEntry(i, -STEP);
                RealVector itself = new ArrayRealVector(parameters.size());
                itself.setEntry(i, 1);
                slopes.setColumnVector(
                        i,
                        here.subtract(logs(parameters, beside)).mapDivide(STEP).append(itself));
            }
            return slopes;
        }
    }
}
