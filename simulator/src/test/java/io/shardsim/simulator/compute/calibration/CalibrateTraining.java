package io.shardsim.simulator.compute.calibration;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.GpuCalibration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Fits what the GEMM tables do not determine (element-wise rates, the attention kernel and GEMM library of the benchmarked framework, the sustained
 * clock of the 40 GB board) to whole steps: the FSDP rows with role calibration. One value per GPU family or framework, never one per row. The mean
 * absolute log error limits the effect of outliers (allocator retries near full memory). {@code CalibrateTraining [evaluations]}
 */
public final class CalibrateTraining {
    private static final String HOPPER = ".hopper";
    private static final List<Coefficient> COEFFICIENTS = List.of(
            coefficient("ampere", "elementwise_hbm_ratio", 0.6, 0.92),
            coefficient("hopper", "elementwise_hbm_ratio", 0.6, 0.92),
            coefficient("a100-40gb", "matmul_sustained_slowdown", 0.05, 0.25),
            coefficient("composer", "matmul_rate_ratio", 0.85, 1.0),
            coefficient("composer", "matmul_rate_ratio.hopper", 0.8, 1.0),
            // FlashAttention-2 is 1.3 to 2.5 times faster than Triton's.
            coefficient("composer", "flash_rate_ratio", 0.4, 0.77),
            coefficient("composer", "flash_rate_ratio.hopper", 0.4, 1.0),
            coefficient("composer", "flash_narrow_rate_ratio", 0.4, 0.77));

    private CalibrateTraining() {}

    public static void main(String[] arguments) {
        run(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1500);
    }

    /** Fits, prints, and returns the mean absolute log error: with the shipped and with the fitted values. */
    static double[] run(int evaluations) {
        double[] shipped =
                COEFFICIENTS.stream().mapToDouble(Coefficient::shipped).toArray();
        double[] best = Coefficient.fit(
                COEFFICIENTS, CalibrateTraining::objective, new Coefficient.Effort(1, evaluations, 12, 1e-6));
        double[] errors = {objective(shipped), objective(best)};
        System.out.printf("objective %.4f as shipped, %.4f as fitted%n", errors[0], errors[1]);
        Coefficient.print(COEFFICIENTS, best);
        return errors;
    }

    private static Coefficient coefficient(String file, String key, double least, double most) {
        double shipped = FrameworkProfile.names().contains(file)
                ? ratio(FrameworkProfile.figures(file), key)
                : GpuCalibration.FAMILIES.named(file).decimal(key);
        return Coefficient.linear(file, key, least, most, shipped);
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

    private static double ratio(FigureFile figures, String key) {
        FrameworkProfile.RateRatio ratio = figures.get(key.split("\\.")[0], FrameworkProfile.RateRatio.class);
        return key.endsWith(HOPPER) ? ratio.own().get("hopper") : ratio.others();
    }

    /** Both Composer profiles share the fitted values. */
    private static FrameworkProfile profile(String name, Map<String, Properties> overrides) {
        Map<String, Double> fitted = numbers(overrides.get("composer"));
        Map<String, FrameworkProfile.RateRatio> ratios = new TreeMap<>();
        fitted.forEach((key, value) -> {
            if (!key.endsWith(HOPPER)) {
                Double hopper = fitted.get(key + HOPPER);
                ratios.put(
                        key,
                        new FrameworkProfile.RateRatio(value, hopper == null ? Map.of() : Map.of("hopper", hopper)));
            }
        });
        return FrameworkProfile.of(FrameworkProfile.figures(name).with(ratios));
    }

    private static GpuCalibration calibration(String name, String architecture, Map<String, Properties> overrides) {
        boolean own = name.equals("a100-40gb");
        Map<String, Double> values = new TreeMap<>(numbers(overrides.get(architecture)));
        if (own) {
            values.putAll(numbers(overrides.get(name)));
        }
        return GpuCalibration.of(
                GpuCalibration.FAMILIES.named(own ? name : architecture).with(values));
    }

    private static Map<String, Double> numbers(Properties written) {
        Map<String, Double> numbers = new TreeMap<>();
        written.stringPropertyNames().forEach(key -> numbers.put(key, Double.valueOf(written.getProperty(key))));
        return numbers;
    }
}
