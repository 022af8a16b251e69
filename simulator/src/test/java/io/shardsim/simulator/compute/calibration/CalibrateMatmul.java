package io.shardsim.simulator.compute.calibration;

import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.compute.Gpus;
import io.shardsim.simulator.compute.RooflineKernelTime;
import io.shardsim.topology.GpuSpec;
import java.util.List;
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
 * <p>{@code CalibrateMatmul ampere|hopper [evaluations] [every n-th row]}
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
        GpuSpec gpu = gpuOf(family);
        GpuCalibration shipped = GpuCalibration.named(family);
        MatmulTable table = MatmulTable.read(tableOf(family));

        GpuCalibration fitted = fit(gpu, shipped, table.every(every), evaluations);
        System.out.println("# " + family + ", " + table.rows().size() + " products of " + tableOf(family));
        double[] values = coefficients(fitted);
        for (int i = 0; i < KEYS.length; i++) {
            System.out.printf("%s = %.4g%n", KEYS[i], values[i]);
        }
        report("shipped", gpu, shipped, table);
        report("fitted", gpu, fitted, table);
    }

    static GpuSpec gpuOf(String family) {
        return family.equals("hopper") ? Gpus.H100_80GB : Gpus.A100_80GB;
    }

    static String tableOf(String family) {
        return family.equals("hopper") ? "gemm_h100.csv" : "gemm_a100.csv";
    }

    private static GpuCalibration fit(GpuSpec gpu, GpuCalibration start, MatmulTable table, int evaluations) {
        double[] guess = logarithms(coefficients(start));
        double[] sigma = new double[guess.length];
        java.util.Arrays.fill(sigma, FIRST_STEP);
        CMAESOptimizer optimizer = new CMAESOptimizer(
                evaluations, 0, true, 0, 0, new MersenneTwister(SEED), false, new SimpleValueChecker(1e-7, 1e-7));
        ObjectiveFunction objective =
                new ObjectiveFunction(point -> table.objective(model(gpu, with(start, exponentials(point)))));
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
        return with(start, exponentials(best));
    }

    private static RooflineKernelTime model(GpuSpec gpu, GpuCalibration calibration) {
        return new RooflineKernelTime(gpu, calibration, gpu.smCount());
    }

    private static double[] coefficients(GpuCalibration c) {
        return new double[] {
            c.matmulRate(),
            c.l2BytesPerSecond(),
            c.wavePs(),
            c.epiloguePsPerElement(),
            c.sustainedSlowdown(),
            c.matmulFixedPs(),
            c.matmulHbmRatio(),
            c.splitFixedPs(),
            c.splitBytesPerSecond(),
            c.clockSettlingPs()
        };
    }

    private static GpuCalibration with(GpuCalibration c, double[] v) {
        return new GpuCalibration(
                c.family(),
                Math.min(1.0, v[0]),
                v[1],
                c.misalignedRatio(),
                v[2],
                v[3],
                v[4],
                v[9],
                v[5],
                v[6],
                v[7],
                v[8],
                c.kernelFixedPs(),
                c.elementwiseHbmRatio(),
                c.flashForwardRate(),
                c.flashBackwardRate(),
                c.flashNarrowHeadRatio(),
                c.tiles(),
                c.splits());
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
