package io.shardsim.simulator.compute.calibration;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.compute.Gpus;
import io.shardsim.simulator.compute.RooflineKernelTime;
import io.shardsim.topology.GpuSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Fits the {@code matmul_*} coefficients of a GPU family to its table of measured GEMMs, starting from the shipped file, and prints the values for
 * that file, in ps and bytes/s, with the residuals. {@code CalibrateMatmul ampere|hopper|volta [evaluations] [every n-th row]}
 */
public final class CalibrateMatmul {
    private static final String[] KEYS = {
        "matmul_rate",
        "matmul_operand_rate",
        "matmul_wave",
        "matmul_epilogue",
        "matmul_sustained_slowdown",
        "matmul_fixed",
        "matmul_hbm_ratio",
        "matmul_split_fixed",
        "matmul_split_rate",
        "matmul_clock_settling"
    };
    /** Coefficients that five square GEMMs determine; the others keep their shipped values. */
    private static final String[] SQUARE_KEYS = {"matmul_rate", "matmul_operand_rate", "matmul_fixed"};

    /** Initial spread of the search in logarithms: a tenth. */
    private static final double FIRST_STEP = 0.1;

    private CalibrateMatmul() {}

    public static void main(String[] arguments) {
        String family = arguments.length > 0 ? arguments[0] : "ampere";
        int evaluations = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4000;
        int every = arguments.length > 2 ? Integer.parseInt(arguments[2]) : family.equals("hopper") ? 5 : 1;
        run(family, evaluations, every);
    }

    /** Fits, prints, and returns the mean absolute error over all GEMMs: with the shipped and with the fitted values. */
    static double[] run(String family, int evaluations, int every) {
        GpuSpec gpu = Gpus.of(family);
        MatmulTable table = table(family);
        List<Coefficient> coefficients = coefficients(family);
        MatmulTable seen = table.every(every);
        double[] best = Coefficient.fit(
                coefficients,
                values -> seen.objective(model(gpu, with(family, coefficients, values))),
                new Coefficient.Effort(1, evaluations, 16, 1e-7));
        GpuCalibration fitted = with(family, coefficients, best);
        System.out.println("# " + family + ", " + table.rows().size() + " products");
        Coefficient.print(coefficients, best);
        report("shipped", gpu, GpuCalibration.named(family), table);
        report("fitted", gpu, fitted, table);
        return new double[] {
            table.meanAbsoluteError(RooflineKernelTime.of(gpu), row -> true),
            table.meanAbsoluteError(model(gpu, fitted), row -> true)
        };
    }

    /** Returns the measured GEMMs that a family is fitted to. */
    static MatmulTable table(String family) {
        return switch (family) {
            case "ampere" -> MatmulTable.read("gemm_a100.csv");
            case "hopper" -> MatmulTable.read("gemm_h100.csv");
            case "volta" -> MatmulTable.squares("V100-SQ", List.of(1024L, 2048L, 4096L, 8192L, 10240L));
            default -> throw new IllegalArgumentException(family + " is none of ampere, hopper, volta");
        };
    }

    private static List<Coefficient> coefficients(String family) {
        FigureFile shipped = GpuCalibration.FAMILIES.named(family);
        return Stream.of(family.equals("volta") ? SQUARE_KEYS : KEYS)
                .map(key -> Coefficient.logarithmic(
                        family, key, 0, Double.POSITIVE_INFINITY, shipped.decimal(key), FIRST_STEP))
                .toList();
    }

    private static RooflineKernelTime model(GpuSpec gpu, GpuCalibration calibration) {
        return new RooflineKernelTime(gpu, calibration, gpu.smCount(), 2);
    }

    private static GpuCalibration with(String family, List<Coefficient> coefficients, double[] values) {
        Map<String, Double> fitted = new HashMap<>();
        for (int i = 0; i < values.length; i++) {
            String key = coefficients.get(i).key();
            // No tile is faster than the tensor cores.
            double value = key.equals("matmul_rate") ? Math.min(1.0, values[i]) : values[i];
            fitted.put(key, value);
        }
        return GpuCalibration.of(GpuCalibration.FAMILIES.named(family).with(fitted));
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
