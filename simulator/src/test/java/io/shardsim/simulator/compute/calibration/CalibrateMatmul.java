package io.shardsim.simulator.compute.calibration;

import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.compute.Gpus;
import io.shardsim.simulator.compute.RooflineKernelTime;
import io.shardsim.topology.GpuSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.hipparchus.optim.InitialGuess;
import org.hipparchus.optim.MaxEval;
import org.hipparchus.optim.SimpleBounds;
import org.hipparchus.optim.SimpleValueChecker;
import org.hipparchus.optim.nonlinear.scalar.GoalType;
import org.hipparchus.optim.nonlinear.scalar.ObjectiveFunction;
import org.hipparchus.optim.nonlinear.scalar.noderiv.CMAESOptimizer;
import org.hipparchus.random.MersenneTwister;

/**
 * Fits the {@code matmul.*} coefficients of a GPU family on its table of measured products, starting from the shipped
 * file, and prints the lines to put there with the residuals.
 *
 * <p>{@code CalibrateMatmul ampere|hopper|volta [evaluations] [every n-th row]}
 */
public final class CalibrateMatmul {
    private static final String[] KEYS = {
        "matmul.rate",
        "matmul.l2-bytes-per-second",
        "matmul.wave-ps",
        "matmul.epilogue-ps-per-element",
        "matmul.sustained-slowdown",
        "matmul.fixed-ps",
        "matmul.hbm-ratio",
        "matmul.split-fixed-ps",
        "matmul.split-bytes-per-second",
        "matmul.clock-settling-ps"
    };
    /** What five square products can tell; the rest keeps its shipped value. */
    private static final String[] SQUARE_KEYS = {"matmul.rate", "matmul.l2-bytes-per-second", "matmul.fixed-ps"};

    /** First spread of the search in logarithms: a tenth. */
    private static final double FIRST_STEP = 0.1;

    private static final int POPULATION = 16;
    /** The search is random; the same seed gives the same coefficients. */
    private static final int SEED = 20221031;

    private CalibrateMatmul() {}

    public static void main(String[] arguments) {
        String family = arguments.length > 0 ? arguments[0] : "ampere";
        int evaluations = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4000;
        int every = arguments.length > 2 ? Integer.parseInt(arguments[2]) : family.equals("hopper") ? 5 : 1;
        run(family, evaluations, every);
    }

    /** Fits, prints, and returns the mean absolute error of all products: as shipped and as fitted. */
    static double[] run(String family, int evaluations, int every) {
        GpuSpec gpu = gpuOf(family);
        MatmulTable table = table(family);
        String[] keys = family.equals("volta") ? SQUARE_KEYS : KEYS;

        double[] values = fit(gpu, family, keys, table.every(every), evaluations);
        System.out.println("# " + family + ", " + table.rows().size() + " products");
        for (int i = 0; i < keys.length; i++) {
            System.out.printf("%s = %.4g%n", keys[i], values[i]);
        }
        report("shipped", gpu, GpuCalibration.named(family), table);
        report("fitted", gpu, with(family, keys, values), table);
        return new double[] {
            table.meanAbsoluteError(RooflineKernelTime.of(gpu), row -> true),
            table.meanAbsoluteError(model(gpu, with(family, keys, values)), row -> true)
        };
    }

    static GpuSpec gpuOf(String family) {
        return switch (family) {
            case "ampere" -> Gpus.A100_80GB;
            case "hopper" -> Gpus.H100_80GB;
            case "volta" -> Gpus.V100;
            default -> throw new IllegalArgumentException(family + " is none of ampere, hopper, volta");
        };
    }

    /** The measured products that a family is fitted on. */
    static MatmulTable table(String family) {
        return switch (family) {
            case "ampere" -> MatmulTable.read("gemm_a100.csv");
            case "hopper" -> MatmulTable.read("gemm_h100.csv");
            case "volta" -> MatmulTable.squares("V100-SQ", List.of(1024L, 2048L, 4096L, 8192L, 10240L));
            default -> throw new IllegalArgumentException(family + " is none of ampere, hopper, volta");
        };
    }

    private static double[] fit(GpuSpec gpu, String family, String[] keys, MatmulTable table, int evaluations) {
        double[] guess = logarithms(coefficients(GpuCalibration.properties(family), keys));
        double[] sigma = new double[guess.length];
        Arrays.fill(sigma, FIRST_STEP);
        CMAESOptimizer optimizer = new CMAESOptimizer(
                evaluations, 0, true, 0, 0, new MersenneTwister(SEED), false, new SimpleValueChecker(1e-7, 1e-7));
        ObjectiveFunction objective =
                new ObjectiveFunction(point -> table.objective(model(gpu, with(family, keys, exponentials(point)))));
        double[] best = optimizer
                .optimize(
                        new MaxEval(evaluations),
                        objective,
                        GoalType.MINIMIZE,
                        new InitialGuess(guess),
                        SimpleBounds.unbounded(guess.length),
                        new CMAESOptimizer.Sigma(sigma),
                        new CMAESOptimizer.PopulationSize(POPULATION))
                .getPoint();
        return exponentials(best);
    }

    private static RooflineKernelTime model(GpuSpec gpu, GpuCalibration calibration) {
        return new RooflineKernelTime(gpu, calibration, gpu.smCount(), 2);
    }

    private static double[] coefficients(Properties properties, String[] keys) {
        double[] values = new double[keys.length];
        for (int i = 0; i < keys.length; i++) {
            values[i] = Double.parseDouble(properties.getProperty(keys[i]));
        }
        return values;
    }

    private static GpuCalibration with(String family, String[] keys, double[] values) {
        Properties properties = GpuCalibration.properties(family);
        for (int i = 0; i < keys.length; i++) {
            // No tile is faster than the tensor cores.
            double value = keys[i].equals("matmul.rate") ? Math.min(1.0, values[i]) : values[i];
            properties.setProperty(keys[i], Double.toString(value));
        }
        return GpuCalibration.parse(family, properties);
    }

    private static double[] logarithms(double[] values) {
        double[] result = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            result[i] = StrictMath.log(values[i]);
        }
        return result;
    }

    private static double[] exponentials(double[] values) {
        double[] result = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            result[i] = StrictMath.exp(values[i]);
        }
        return result;
    }

    private static void report(String label, GpuSpec gpu, GpuCalibration calibration, MatmulTable table) {
        RooflineKernelTime model = model(gpu, calibration);
        System.out.printf(
                "%s: mean absolute error %.2f %% of all, %.2f %% of training-like shapes (bias %+.2f %%)%n",
                label,
                100 * table.meanAbsoluteError(model, row -> true),
                100 * table.meanAbsoluteError(model, MatmulTable.Row::trainingLike),
                100 * table.bias(model, MatmulTable.Row::trainingLike));
        if (table.rows().size() < 100) {
            return;
        }
        for (long tokens : List.of(512L, 1024L, 2048L, 4096L, 8192L, 16384L)) {
            System.out.printf(
                    "  m %5d: %.2f %% (bias %+.2f %%)%n",
                    tokens,
                    100
                            * table.meanAbsoluteError(
                                    model, r -> r.trainingLike() && r.matmul().m() == tokens),
                    100 * table.bias(model, r -> r.trainingLike() && r.matmul().m() == tokens));
        }
    }
}
