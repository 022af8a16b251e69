package io.shardsim.simulator.compute.calibration;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.hipparchus.optim.InitialGuess;
import org.hipparchus.optim.MaxEval;
import org.hipparchus.optim.SimpleBounds;
import org.hipparchus.optim.SimpleValueChecker;
import org.hipparchus.optim.nonlinear.scalar.GoalType;
import org.hipparchus.optim.nonlinear.scalar.ObjectiveFunction;
import org.hipparchus.optim.nonlinear.scalar.noderiv.CMAESOptimizer;
import org.hipparchus.random.MersenneTwister;

/**
 * Coefficient of a calibration, and the search for the best values of several by CMA-ES [1], which needs no derivatives: whole tiles, waves and
 * picoseconds have none.
 *
 * <p>[1] Hansen, The CMA Evolution Strategy: A Tutorial, arXiv:1604.00772.
 *
 * @param file file that ships it
 * @param key its key in that file
 * @param least physical lower bound
 * @param most physical upper bound
 * @param shipped value from which the search starts
 * @param spread initial spread of a search, in logarithms if these are searched
 * @param logarithmic whether the logarithm is searched
 */
public record Coefficient(
        String file, String key, double least, double most, double shipped, double spread, boolean logarithmic) {
    /** The search is random; the same seed gives the same coefficients. */
    private static final int SEED = 20221031;

    /** Creates a coefficient between two bounds, with an initial spread of a tenth of their distance. */
    static Coefficient linear(String file, String key, double least, double most, double shipped) {
        return new Coefficient(file, key, least, most, shipped, 0.1 * (most - least), false);
    }

    /** Creates a positive coefficient, searched by its logarithm. */
    public static Coefficient logarithmic(
            String file, String key, double least, double most, double shipped, double spread) {
        return new Coefficient(file, key, least, most, shipped, spread, true);
    }

    /**
     * Effort of a search.
     *
     * @param searches number of consecutive searches, each from the best point so far
     * @param evaluations maximum evaluations of the error per search
     * @param population points per generation
     * @param tolerance a search ends if a generation's best point is this close to the previous one's, absolute or relative
     */
    public record Effort(int searches, int evaluations, int population, double tolerance) {}

    /**
     * Returns the values with the lowest error found, never worse than the shipped ones.
     *
     * @param error error of values in the order of the coefficients
     */
    public static double[] fit(List<Coefficient> coefficients, ToDoubleFunction<double[]> error, Effort effort) {
        ObjectiveFunction objective = new ObjectiveFunction(point -> error.applyAsDouble(values(coefficients, point)));
        SimpleBounds bounds =
                new SimpleBounds(points(coefficients, Coefficient::least), points(coefficients, Coefficient::most));
        double[] spread = coefficients.stream().mapToDouble(Coefficient::spread).toArray();
        double[] best = points(coefficients, Coefficient::shipped);
        for (int search = 0; search < effort.searches(); search++) {
            best = new CMAESOptimizer(
                            effort.evaluations(),
                            0,
                            true,
                            0,
                            0,
                            new MersenneTwister(SEED + search),
                            false,
                            new SimpleValueChecker(effort.tolerance(), effort.tolerance()))
                    .optimize(
                            new MaxEval(effort.evaluations()),
                            objective,
                            GoalType.MINIMIZE,
                            new InitialGuess(best),
                            bounds,
                            new CMAESOptimizer.Sigma(spread),
                            new CMAESOptimizer.PopulationSize(effort.population()))
                    .getPoint();
        }
        return values(coefficients, best);
    }

    /** Prints the lines for the files, in their units. */
    public static void print(List<Coefficient> coefficients, double[] values) {
        for (int i = 0; i < values.length; i++) {
            Coefficient coefficient = coefficients.get(i);
            System.out.printf(
                    "%s: %s = %.4g (shipped %.4g)%n",
                    coefficient.file(), coefficient.key(), values[i], coefficient.shipped());
        }
    }

    private static double[] points(List<Coefficient> coefficients, ToDoubleFunction<Coefficient> value) {
        return coefficients.stream()
                .mapToDouble(each ->
                        each.logarithmic ? StrictMath.log(value.applyAsDouble(each)) : value.applyAsDouble(each))
                .toArray();
    }

    private static double[] values(List<Coefficient> coefficients, double[] point) {
        double[] values = point.clone();
        for (int i = 0; i < values.length; i++) {
            values[i] = coefficients.get(i).logarithmic ? StrictMath.exp(values[i]) : values[i];
        }
        return values;
    }
}
