package io.shardsim.scenarios.calibrating;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.profiling.ProfileReader;
import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.compute.RooflineKernelTime;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.topology.GpuSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Kernels that somebody timed, in 16 bits: GEMMs that a profile has shapes of, and tables of GEMMs ({@code m,n,k,dtype,us} or {@code tflops}) or fused attention
 * ({@code batch,heads,length,head_size,causal,us}), anywhere in a text. A line that is no row ends a table.
 */
final class KernelRuns {
    private static final Set<String> HALF = Set.of("bf16", "bfloat16", "fp16", "float16", "half");
    private static final double TERA = 1e12;
    private static final double US_PER_SECOND = 1e6;
    /** More than any kernel has in any direction. */
    private static final long EXTENT_MAX = 1 << 20;

    private final Base base;
    private final double peak;
    final List<Run> all = new ArrayList<>();

    KernelRuns(Base base) {
        this.base = base;
        peak = Catalog.ofDataSheet(base.with(Map.of()).gpu()).peakHalfFlopsPerSecond();
    }

    /**
     * One kernel.
     *
     * @param inStep whether others ran before and behind it, so that the clock had settled
     */
    record Run(String file, Kernel kernel, boolean inStep, double seconds) {
        boolean isGemm() {
            return kernel instanceof Kernel.Matmul;
        }

        double simulated(GpuSpec gpu) {
            RooflineKernelTime model = RooflineKernelTime.of(gpu);
            return (kernel instanceof Kernel.Matmul gemm && !inStep ? model.isolatedPs(gemm) : model.kernelPs(kernel))
                    / TERA;
        }
    }

    /** Measured over simulated times of attention. */
    double[] attention(GpuSpec gpu) {
        return all.stream()
                .filter(run -> !run.isGemm())
                .mapToDouble(run -> run.seconds() / run.simulated(gpu))
                .toArray();
    }

    Fit fit() {
        List<Run> gemms = all.stream().filter(Run::isGemm).toList();
        return Fit.of(
                gemms.stream()
                        .map(run -> new Fit.Sample(run.seconds(), (long) ((Kernel.Matmul) run.kernel()).flops(), 1))
                        .toList(),
                Parameter.KERNELS,
                base.with(Map.of()),
                changed -> {
                    GpuSpec gpu = base.with(changed).gpu();
                    return gemms.stream().mapToDouble(run -> run.simulated(gpu)).toArray();
                });
    }

    /** @throws InputException with what is wrong with the profile */
    void readProfile(String file) throws InputException {
        ProfileReader.gemms(file).forEach((gemm, seconds) -> all.add(new Run(file, gemm, true, seconds)));
    }

    /** Whether a text has such a table. */
    static boolean isIn(String text) {
        return text.lines().anyMatch(line -> isHeading(fields(line)));
    }

    private static boolean isHeading(List<String> fields) {
        return fields.containsAll(List.of("m", "n", "k")) && (fields.contains("us") || fields.contains("tflops"))
                || fields.containsAll(List.of("heads", "length", "head_size", "us"));
    }

    private static List<String> fields(String line) {
        return Arrays.stream(line.toLowerCase(Locale.ROOT).split(",", -1))
                .map(String::strip)
                .toList();
    }

    /** @throws InputException with every line that cannot be */
    void read(String file, String text) throws InputException {
        Problems problems = new Problems(file);
        List<String> columns = List.of();
        String[] lines = text.split("\\R", -1);
        for (int i = 0; i < lines.length; i++) {
            List<String> fields = fields(lines[i]);
            if (isHeading(fields) || fields.size() != columns.size()) {
                columns = isHeading(fields) ? fields : List.of();
                continue;
            }
            try {
                row(file, columns, fields);
            } catch (IllegalArgumentException refused) {
                problems.add(
                        new Position(i + 1, 1),
                        "is no row under " + String.join(",", columns) + " (" + refused.getMessage()
                                + "); remove it, or correct the number or its unit");
            }
        }
        problems.throwIfAny();
    }

    private void row(String file, List<String> columns, List<String> fields) {
        Map<String, String> row = new LinkedHashMap<>();
        columns.forEach(column -> row.put(column, fields.get(columns.indexOf(column))));
        String format = row.getOrDefault("dtype", "bf16");
        if (!HALF.contains(format)) {
            throw new IllegalArgumentException("dtype " + format + " is not bf16 or fp16");
        }
        Kernel kernel = row.containsKey("heads")
                ? attention(row)
                : new Kernel.Matmul("table", whole(row, "batch"), whole(row, "m"), whole(row, "n"), whole(row, "k"));
        double flops = kernel instanceof Kernel.Matmul gemm ? gemm.flops() : 0;
        double seconds = row.containsKey("us")
                ? Double.parseDouble(row.get("us")) / US_PER_SECOND
                : flops / Double.parseDouble(row.get("tflops")) / TERA;
        if (!(seconds > flops / peak) || Double.isInfinite(seconds)) {
            throw new IllegalArgumentException(
                    Quantities.threeDigits(flops / seconds / TERA) + " TFLOPS, and the peak of the GPU of "
                            + base.name() + " is " + Quantities.threeDigits(peak / TERA));
        }
        all.add(new Run(file, kernel, false, seconds));
    }

    private static Kernel attention(Map<String, String> row) {
        return new Kernel.FlashAttention(
                "table",
                whole(row, "batch") * whole(row, "heads"),
                whole(row, "length"),
                whole(row, "head_size"),
                Set.of("1", "true").contains(row.getOrDefault("causal", "true")),
                row.getOrDefault("pass", "").startsWith("b") ? Kernel.Pass.BACKWARD : Kernel.Pass.FORWARD);
    }

    private static long whole(Map<String, String> row, String column) {
        long number = Long.parseLong(row.getOrDefault(column, "1"));
        if (number < 1 || number > EXTENT_MAX) {
            throw new IllegalArgumentException(column + " " + number + " is not in 1.." + EXTENT_MAX);
        }
        return number;
    }
}
