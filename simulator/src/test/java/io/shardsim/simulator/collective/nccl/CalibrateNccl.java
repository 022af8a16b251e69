package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.Constants;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
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
 * Fits what a step of a ring inside a node takes on the measured collectives of nccl_intra_node.csv, by least squares in the logarithm. What
 * NCCL chooses does not depend on these constants.
 *
 * <p>{@code CalibrateNccl [ampere|hopper [iterations]]}
 */
final class CalibrateNccl {

    /**
     * One constant to fit.
     *
     * @param unit of the file, behind the number
     * @param least physical lower bound; of a step, the latency of an NVLink and a switch
     * @param most physical upper bound
     */
    private record Coefficient(String key, String unit, double least, double most) {
        double value(Properties constants) {
            return Double.parseDouble(constants.getProperty(key).replace(unit, ""));
        }
    }

    private static final List<Coefficient> ALL = List.of(
            new Coefficient("base.ll", " us", 1, 30),
            new Coefficient("base.ll128", " us", 1, 30),
            new Coefficient("base.simple", " us", 1, 60),
            new Coefficient("nvlink-step.ll", " us", 0.5, 10),
            new Coefficient("nvlink-step.ll128", " us", 0.5, 10),
            new Coefficient("nvlink-step.simple", " us", 0.5, 20),
            new Coefficient("lane.ll", " GB/s", 1, 40),
            new Coefficient("nvlink.copy-ratio", "", 0.5, 1),
            new Coefficient("nvlink.all-reduce-copy-ratio", "", 0.5, 1),
            new Coefficient("nvlink.reduce-ratio", "", 0.5, 1),
            new Coefficient("store", " GB/s", 5, 100));

    private static final int SEED = 20221031;
    /** Searches, each from the best point so far. */
    private static final int STARTS = 5;
    /** Spread of the first points of a search, in the logarithm. */
    private static final double SPREAD = 0.2;

    private CalibrateNccl() {}

    public static void main(String[] arguments) {
        run(
                arguments.length > 0 ? arguments[0] : "ampere",
                arguments.length > 1 ? Integer.parseInt(arguments[1]) : 400);
    }

    /** Fits, prints, and returns the root of the mean square log error: as shipped and as fitted. */
    static double[] run(String architecture, int iterations) {
        Properties shipped = Objects.requireNonNull(Constants.find(NcclGpu.FILES, architecture))
                .toProperties();
        List<RingMeasurements.Row> rows = RingMeasurements.of(architecture);
        List<Coefficient> fitted = coefficients(architecture);
        ToDoubleFunction<double[]> error = point -> error(architecture, with(shipped, fitted, point), rows);
        SimpleBounds bounds = new SimpleBounds(logs(fitted, Coefficient::least), logs(fitted, Coefficient::most));
        double[] spread = new double[fitted.size()];
        Arrays.fill(spread, SPREAD);
        double[] best = logs(fitted, coefficient -> coefficient.value(shipped));
        for (int start = 0; start < STARTS; start++) {
            double[] found = new CMAESOptimizer(
                            iterations,
                            0,
                            true,
                            0,
                            0,
                            new MersenneTwister(SEED + start),
                            false,
                            new SimpleValueChecker(0, 1e-9))
                    .optimize(
                            MaxEval.unlimited(),
                            new ObjectiveFunction(error::applyAsDouble),
                            GoalType.MINIMIZE,
                            new InitialGuess(best),
                            bounds,
                            new CMAESOptimizer.Sigma(spread),
                            new CMAESOptimizer.PopulationSize(16))
                    .getPoint();
            best = error.applyAsDouble(found) < error.applyAsDouble(best) ? found : best;
        }
        double[] errors = {error(architecture, shipped, rows), error.applyAsDouble(best)};
        System.out.printf(
                "%s: %d rings, error %.4f as shipped, %.4f as fitted%n",
                architecture, rows.size(), errors[0], errors[1]);
        Properties constants = with(shipped, fitted, best);
        for (Coefficient coefficient : fitted) {
            System.out.printf(
                    "%s.properties: %s = %s (shipped %s)%n",
                    architecture,
                    coefficient.key(),
                    constants.getProperty(coefficient.key()),
                    shipped.getProperty(coefficient.key()));
        }
        return errors;
    }

    /** On Hopper the shares of NVLink are those that several p5.48xlarge need, which these rows do not reach. */
    private static List<Coefficient> coefficients(String architecture) {
        return ALL.stream()
                .filter(coefficient ->
                        !architecture.equals("hopper") || !coefficient.key().endsWith("-ratio"))
                .toList();
    }

    private static double[] logs(List<Coefficient> coefficients, ToDoubleFunction<Coefficient> value) {
        return coefficients.stream()
                .mapToDouble(coefficient -> StrictMath.log(value.applyAsDouble(coefficient)))
                .toArray();
    }

    /** @param point logarithms of the coefficients */
    private static Properties with(Properties shipped, List<Coefficient> fitted, double[] point) {
        Properties constants = new Properties();
        constants.putAll(shipped);
        for (int i = 0; i < point.length; i++) {
            Coefficient coefficient = fitted.get(i);
            constants.setProperty(
                    coefficient.key(),
                    String.format(Locale.ROOT, "%.3f%s", StrictMath.exp(point[i]), coefficient.unit()));
        }
        return constants;
    }

    private static double error(String architecture, Properties constants, List<RingMeasurements.Row> rows) {
        NcclGpu gpu = NcclGpu.of(new Constants(architecture, constants));
        NcclTransportModel model = new NcclTransportModel(RingMeasurements.RINGS, Long.MAX_VALUE, spec -> gpu);
        double sum = 0;
        for (RingMeasurements.Row row : rows) {
            double log = StrictMath.log(row.seconds(model) / row.seconds());
            sum += log * log;
        }
        return Math.sqrt(sum / rows.size());
    }
}
