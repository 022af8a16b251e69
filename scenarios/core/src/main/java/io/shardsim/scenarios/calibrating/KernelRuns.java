package io.shardsim.scenarios.calibrating;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.profiling.ProfileReader;
import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.compute.RooflineKernelTime;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlReader;
import io.shardsim.topology.GpuSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Kernels timed in BF16 or FP16: GEMMs of a profile with shapes, and tables of GEMMs ({@code m,n,k,dtype,us} or {@code tflops}) or fused attention
 * ({@code batch,heads,length,head_size,causal,us}), anywhere in a text. A line that is not a row ends a table.
 */
final class KernelRuns {
    private static final Set<String> HALF = Set.of("bf16", "bfloat16", "fp16", "float16", "half");
    private static final double TERA = 1e12;
    private static final double US_PER_SECOND = 1e6;
    /** Maximum extent of a kernel in any dimension. */
    private static final long EXTENT_MAX = 1 << 20;

    private static final Set<String> GEMM = Set.of("batch", "m", "n", "k", "dtype", "us", "tflops");
    private static final Set<String> ATTENTION =
            Set.of("batch", "heads", "length", "head_size", "causal", "pass", "dtype", "us");
    private static final Pattern NUMBER = Pattern.compile("-?(\\d+(\\.\\d*)?|\\.\\d+)(e[+-]?\\d{1,2})?");
    /** The micro sign, in whatever encoding a log was read. */
    private static final Pattern MICROSECONDS = Pattern.compile("[^\\x00-\\x7f]{1,2}s");
    /** Simulated time below which a kernel may be launch-bound [s]. */
    private static final double LAUNCH = 20e-6;
    /** Minimum share of the known rate that a kernel reaches [1]. */
    private static final double SLOWEST = 0.03;
    /** Allowed difference between the time and the rate of one row [1]. */
    private static final double TOLERANCE = 0.02;
    /** Allowed difference between two times of one kernel [1]. */
    private static final double ALIKE = 0.1;

    private final Base base;
    private final GpuSpec dataSheet;
    private final double peak;
    final List<Run> all = new ArrayList<>();

    KernelRuns(Base base) {
        this.base = base;
        dataSheet = Catalog.ofDataSheet(base.with(Map.of()).gpu());
        peak = dataSheet.peakHalfFlopsPerSecond();
    }

    /**
     * A timed kernel.
     *
     * @param inStep whether other kernels ran before and after it, so that the clock had settled
     */
    record Run(String file, Kernel kernel, boolean inStep, double seconds) {
        String teraflops(double within) {
            return Quantities.threeDigits(flops(kernel) / within / TERA);
        }

        boolean isGemm() {
            return kernel instanceof Kernel.Matmul;
        }

        double simulated(GpuSpec gpu) {
            RooflineKernelTime model = RooflineKernelTime.of(gpu);
            return (kernel instanceof Kernel.Matmul gemm && !inStep ? model.isolatedPs(gemm) : model.kernelPs(kernel))
                    / TERA;
        }
    }

    /** Returns ratios of measured to simulated attention times. */
    double[] attention(GpuSpec gpu) {
        return all.stream()
                .filter(run -> !run.isGemm())
                .mapToDouble(run -> run.seconds() / run.simulated(gpu))
                .toArray();
    }

    /** @param without files to exclude */
    Fit fit(Set<String> without) {
        List<Run> gemms = all.stream()
                .filter(run -> run.isGemm() && !without.contains(run.file()))
                .toList();
        Fit fit = Fit.of(
                gemms.stream()
                        .map(run -> new Fit.Sample(run.seconds(), (long) ((Kernel.Matmul) run.kernel()).flops(), 1))
                        .toList(),
                Parameter.KERNELS,
                base.with(Map.of()),
                changed -> {
                    GpuSpec gpu = base.with(changed).gpu();
                    return gemms.stream().mapToDouble(run -> run.simulated(gpu)).toArray();
                });
        // No table row is this slow, but a profile in a wrong unit is.
        return fit.values().values().stream().anyMatch(rate -> rate < SLOWEST) ? Fit.none(List.of()) : fit;
    }

    /** @throws InputException with the profile's problems */
    void readProfile(String file) throws InputException {
        ProfileReader.gemms(file).forEach((gemm, seconds) -> all.add(new Run(file, gemm, true, seconds)));
    }

    /** Returns files whose GEMMs are far below the prediction, with a typical GEMM of each. Ignores GEMMs that may be launch-bound. */
    Map<String, Run> broken() {
        GpuSpec gpu = base.with(Map.of()).gpu();
        Map<String, Run> broken = new LinkedHashMap<>();
        all.stream()
                .filter(run -> run.isGemm() && run.simulated(gpu) > LAUNCH)
                .collect(Collectors.groupingBy(Run::file, LinkedHashMap::new, Collectors.toList()))
                .forEach((file, runs) -> {
                    runs.sort(Comparator.comparingDouble(run -> run.simulated(gpu) / run.seconds()));
                    Run typical = runs.get(runs.size() / 2);
                    if (typical.simulated(gpu) < Calibrator.BROKEN * typical.seconds()) {
                        broken.put(file, typical);
                    }
                });
        return broken;
    }

    /** Returns two contradictory times of one GEMM, neither of which determines a rate; empty if there are none. */
    String contradiction() {
        Map<Kernel, Run> first = new HashMap<>();
        for (Run run : all) {
            Run other = first.putIfAbsent(run.kernel(), run);
            if (other != null
                    && run.kernel() instanceof Kernel.Matmul gemm
                    && Math.abs(StrictMath.log(run.seconds() / other.seconds())) > StrictMath.log1p(ALIKE)) {
                return gemm.m() + " x " + gemm.n() + " x " + gemm.k() + " took "
                        + Quantities.threeDigits(other.seconds() * US_PER_SECOND) + " us and "
                        + Quantities.threeDigits(run.seconds() * US_PER_SECOND) + " us; measure it again";
            }
        }
        return "";
    }

    /** Returns whether a text has such a table. */
    static boolean isIn(String text) {
        return text.lines().anyMatch(line -> isHeading(fields(line, ",")) || isHeading(fields(line, ";")));
    }

    private static boolean isHeading(List<String> fields) {
        return fields.containsAll(List.of("m", "n", "k"))
                || fields.containsAll(List.of("heads", "length", "head_size"));
    }

    private static List<String> fields(String line, String separator) {
        return Arrays.stream(line.toLowerCase(Locale.ROOT).split(separator, -1))
                .map(String::strip)
                .map(field -> field.replaceAll("^\"(.*)\"$", "$1").strip())
                .map(field -> MICROSECONDS.matcher(field).matches() ? "us" : field)
                .toList();
    }

    /** @throws InputException with every invalid line */
    void read(String file, String text) throws InputException {
        Problems problems = new Problems(file);
        Map<Integer, String> beyond = new LinkedHashMap<>();
        List<String> columns = List.of();
        boolean within = false;
        String[] lines = text.split("\\R", -1);
        for (int i = 0; i < lines.length; i++) {
            List<String> fields = fields(lines[i], ",");
            Position position = new Position(i + 1, 1);
            if (isHeading(fields) || isHeading(fields(lines[i], ";"))) {
                String refused = isHeading(fields) ? heading(fields) : "separate columns with commas, not semicolons";
                if (!refused.isEmpty()) {
                    problems.add(position, refused);
                }
                columns = refused.isEmpty() ? fields : List.of();
                within = true;
                continue;
            }
            boolean numbers = fields.size() > 1
                    && fields.subList(0, 2).stream()
                            .allMatch(field -> NUMBER.matcher(field).matches());
            boolean whole = fields.size() == columns.size();
            if (columns.isEmpty() || !(within ? numbers || whole : numbers && whole)) {
                within = false;
                continue;
            }
            String row = "is not a row under " + String.join(",", columns) + " (";
            try {
                if (!whole) {
                    throw new IllegalArgumentException(fields.size() + " columns, not " + columns.size());
                }
                Run run = row(file, columns, fields);
                String refused = beyond(run);
                if (refused.isEmpty()) {
                    all.add(run);
                } else {
                    beyond.put(i + 1, row + refused);
                }
            } catch (IllegalArgumentException refused) {
                problems.add(position, row + refused.getMessage() + "); remove it, or correct it");
            }
        }
        // A wrong unit or instance affects every row.
        beyond.entrySet().stream()
                .findFirst()
                .ifPresent(first -> problems.add(
                        new Position(first.getKey(), 1),
                        first.getValue()
                                + (beyond.size() == 1 ? "" : "; " + beyond.size() + " rows are above its peak")
                                + "); correct the number, its unit or --base"));
        problems.throwIfAny();
    }

    /** Returns problems of a header row; empty if there are none. */
    private static String heading(List<String> fields) {
        boolean attention = fields.contains("heads");
        List<String> times = attention ? List.of("us") : List.of("us", "tflops");
        String write = "write " + String.join(" or ", times);
        boolean timed = fields.stream().anyMatch(times::contains);
        return fields.stream()
                .filter(field -> !(attention ? ATTENTION : GEMM).contains(field))
                .findFirst()
                .map(field -> "column " + YamlReader.printable(field) + " is unknown; " + (timed ? "remove it" : write))
                .orElse(timed ? "" : "no column has a time; " + write);
    }

    private static Run row(String file, List<String> columns, List<String> fields) {
        Map<String, String> row = new LinkedHashMap<>();
        columns.forEach(column -> row.put(column, fields.get(columns.indexOf(column))));
        String format = row.getOrDefault("dtype", "bf16");
        if (!HALF.contains(format)) {
            throw new IllegalArgumentException("dtype " + YamlReader.printable(format) + " is not bf16 or fp16");
        }
        Kernel kernel = row.containsKey("heads")
                ? attention(row)
                : new Kernel.Matmul("table", whole(row, "batch"), whole(row, "m"), whole(row, "n"), whole(row, "k"));
        double byRate = row.containsKey("tflops") ? flops(kernel) / number(row, "tflops") / TERA : Double.NaN;
        double seconds = row.containsKey("us") ? number(row, "us") / US_PER_SECOND : byRate;
        if (Math.abs(seconds / byRate - 1) > TOLERANCE) {
            throw new IllegalArgumentException(row.get("us") + " us are "
                    + Quantities.threeDigits(flops(kernel) / seconds / TERA) + " TFLOPS, and tflops says "
                    + row.get("tflops"));
        }
        return new Run(file, kernel, false, seconds);
    }

    /** Returns why no kernel of this GPU can take this time; empty if one can. */
    private String beyond(Run run) {
        String rate = run.teraflops(run.seconds()) + " TFLOPS, and the peak of the GPU of " + base.name() + " is "
                + Quantities.threeDigits(peak / TERA);
        if (!(run.seconds() > flops(run.kernel()) / peak)) {
            return rate;
        }
        double known = run.simulated(dataSheet);
        return known > LAUNCH && known < SLOWEST * run.seconds() ? rate + ": a wrong unit, such as ns under us?" : "";
    }

    private static double flops(Kernel kernel) {
        if (kernel instanceof Kernel.FlashAttention fused) {
            double square = (double) fused.queries() * fused.keys().number() * fused.headDim() * fused.headsInBatch();
            return (fused.pass() == Kernel.Pass.BACKWARD ? 10 : 4)
                    * square
                    / (fused.keys().causal() ? 2 : 1);
        }
        return ((Kernel.Matmul) kernel).flops();
    }

    private static Kernel attention(Map<String, String> row) {
        return new Kernel.FlashAttention(
                "table",
                whole(row, "batch") * whole(row, "heads"),
                whole(row, "length"),
                whole(row, "head_size"),
                is(row, "causal", Set.of("true", "1", "yes"), Set.of("false", "0", "no"), "true"),
                is(row, "pass", Set.of("backward", "bwd"), Set.of("forward", "fwd"), "forward")
                        ? Kernel.Pass.BACKWARD
                        : Kernel.Pass.FORWARD);
    }

    private static boolean is(Map<String, String> row, String column, Set<String> yes, Set<String> no, String usual) {
        String word = row.getOrDefault(column, usual);
        if (!yes.contains(word) && !no.contains(word)) {
            throw new IllegalArgumentException(column + " " + YamlReader.printable(word) + " is not one of "
                    + Stream.concat(yes.stream(), no.stream()).sorted().collect(Collectors.joining(", ")));
        }
        return yes.contains(word);
    }

    private static double number(Map<String, String> row, String column) {
        String text = row.getOrDefault(column, "1");
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException(column + " " + YamlReader.printable(text) + " is not a number");
        }
        double number = Double.parseDouble(text);
        if (!(number > 0) || Double.isInfinite(number)) {
            throw new IllegalArgumentException(column + " " + text + " is not above 0");
        }
        return number;
    }

    private static long whole(Map<String, String> row, String column) {
        double number = number(row, column);
        if (number < 1 || number > EXTENT_MAX || number != Math.rint(number)) {
            throw new IllegalArgumentException(
                    column + " " + row.getOrDefault(column, "1") + " is not in 1.." + EXTENT_MAX);
        }
        return (long) number;
    }
}
