package io.shardsim.simulator.compute.calibration;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.GpuCalibration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.hipparchus.optim.InitialGuess;
import org.hipparchus.optim.MaxEval;
import org.hipparchus.optim.SimpleBounds;
import org.hipparchus.optim.SimpleValueChecker;
import org.hipparchus.optim.nonlinear.scalar.GoalType;
import org.hipparchus.optim.nonlinear.scalar.ObjectiveFunction;
import org.hipparchus.optim.nonlinear.scalar.noderiv.CMAESOptimizer;
import org.hipparchus.random.MersenneTwister;

/**
 * Fits what the matrix tables cannot tell (element-wise rates, the attention kernel and matrix library of the benchmarked
 * framework, the sustained clock of the 40 GB board) on whole steps: the FSDP rows of role calibration. One value a GPU family or
 * framework, never one a row. The mean absolute log error keeps outliers (allocator retries near full memory) from pulling.
 *
 * <p>{@code CalibrateTraining [evaluations]}
 */
public final class CalibrateTraining {

    /**
     * One coefficient to fit.
     *
     * @param file calibration or profile
     * @param key its key
     * @param least physical lower bound
     * @param most physical upper bound
     */
    private record Coefficient(String file, String key, double least, double most) {}

    private static final List<Coefficient> COEFFICIENTS = List.of(
            new Coefficient("ampere", "elementwise.hbm-ratio", 0.6, 0.92),
            new Coefficient("hopper", "elementwise.hbm-ratio", 0.6, 0.92),
            new Coefficient("a100-40gb", "matmul.sustained-slowdown", 0.05, 0.25),
            new Coefficient("composer", "matmul-rate-ratio", 0.85, 1.0),
            new Coefficient("composer", "matmul-rate-ratio.hopper", 0.8, 1.0),
            // FlashAttention-2 is 1.3 to 2.5 times faster than Triton's.
            new Coefficient("composer", "flash-rate-ratio", 0.4, 0.77),
            new Coefficient("composer", "flash-rate-ratio.hopper", 0.4, 1.0),
            new Coefficient("composer", "flash-narrow-rate-ratio", 0.4, 0.77));

    private static final int SEED = 20221031;

    private CalibrateTraining() {}

    public static void main(String[] arguments) {
        run(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1500);
    }

    /** Fits, prints, and returns the mean absolute log error: as shipped and as fitted. */
    static double[] run(int evaluations) {
        double[] guess = COEFFICIENTS.stream().mapToDouble(c -> value(c)).toArray();
        double[] least = COEFFICIENTS.stream().mapToDouble(Coefficient::least).toArray();
        double[] most = COEFFICIENTS.stream().mapToDouble(Coefficient::most).toArray();
        double[] sigma = new double[guess.length];
        Arrays.setAll(sigma, i -> 0.1 * (most[i] - least[i]));
        System.out.printf("shipped: objective %.4f%n", objective(guess));
        CMAESOptimizer optimizer = new CMAESOptimizer(
                evaluations, 0, true, 0, 0, new MersenneTwister(SEED), false, new SimpleValueChecker(1e-6, 1e-6));
        double[] best = optimizer
                .optimize(
                        new MaxEval(evaluations),
                        new ObjectiveFunction(CalibrateTraining::objective),
                        GoalType.MINIMIZE,
                        new InitialGuess(guess),
                        new SimpleBounds(least, most),
                        new CMAESOptimizer.Sigma(sigma),
                        new CMAESOptimizer.PopulationSize(12))
                .getPoint();
        System.out.printf("fitted: objective %.4f%n", objective(best));
        for (int i = 0; i < best.length; i++) {
            System.out.printf(
                    "%s.properties: %s = %.3f (shipped %.3f)%n",
                    COEFFICIENTS.get(i).file(), COEFFICIENTS.get(i).key(), best[i], guess[i]);
        }
        return new double[] {objective(guess), objective(best)};
    }

    private static double value(Coefficient coefficient) {
        String file = coefficient.file();
        Properties properties = FrameworkProfile.names().contains(file)
                ? FrameworkProfile.properties(file)
                : GpuCalibration.properties(file);
        return Double.parseDouble(properties.getProperty(coefficient.key()));
    }

    private static double objective(double[] point) {
        Map<String, Properties> overrides = new TreeMap<>();
        for (int i = 0; i < point.length; i++) {
            Coefficient coefficient = COEFFICIENTS.get(i);
            overrides
                    .computeIfAbsent(coefficient.file(), f -> new Properties())
                    .setProperty(coefficient.key(), Double.toString(point[i]));
        }
        return JudgeTraining.sharded(
                        name -> profile(name, overrides), gpu -> calibration(gpu.name(), gpu.architecture(), overrides))
                .stream()
                .mapToDouble(c -> Math.abs(StrictMath.log(c.estimated() / c.measured())))
                .average()
                .orElseThrow();
    }

    /** Both Composer profiles share the fitted values. */
    private static FrameworkProfile profile(String name, Map<String, Properties> overrides) {
        Properties properties = FrameworkProfile.properties(name);
        properties.putAll(overrides.get("composer"));
        return FrameworkProfile.parse(name, properties);
    }

    private static GpuCalibration calibration(String name, String architecture, Map<String, Properties> overrides) {
        boolean own = name.equals("a100-40gb");
        Properties properties = GpuCalibration.properties(own ? name : architecture);
        properties.putAll(overrides.get(architecture));
        if (own) {
            properties.putAll(overrides.get(name));
        }
        return GpuCalibration.parse(name, properties);
    }
}
