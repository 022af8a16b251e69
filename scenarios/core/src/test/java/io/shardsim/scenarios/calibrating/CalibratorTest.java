package io.shardsim.scenarios.calibrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.assertj.core.api.InstanceOfAssertFactories.DOUBLE;

import io.shardsim.scenarios.calibrating.CollectiveTest.Row;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.explaining.FurtherRuns;
import io.shardsim.scenarios.scenario.InstanceFiles;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.compute.RooflineKernelTime;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class CalibratorTest {
    private static final List<String> BASES =
            List.of("p4d.24xlarge", "dgx-a100", "p5.48xlarge", "nd-h100-v5", "p3dn.24xlarge");

    @TempDir
    Path folder;

    private static Base base(String name) {
        try {
            return Base.of(name);
        } catch (InputException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static double seconds(String base, CollectiveTest test, Row row, Map<String, Object> changed) {
        return new Simulated(base(base), new FurtherRuns(PointSimulation::new, 2), (share, what) -> {})
                .seconds(List.of(new Simulated.Size(test, row)), changed)[0];
    }

    /** What nccl-tests would print on a cluster with such figures. */
    private static String log(
            String base, CollectiveKind kind, int nodes, Map<String, Object> changed, Random noise, double spread) {
        CollectiveTest asked = new CollectiveTest("", kind, 8 * nodes, nodes, List.of());
        List<Row> rows = new ArrayList<>();
        for (long bytes = 4096; bytes <= 2L << 30; bytes *= 2) {
            Row row = new Row(1, bytes, 1);
            rows.add(new Row(1, bytes, seconds(base, asked, row, changed)));
        }
        return PrintedLogs.of(
                new CollectiveTest("", kind, 8 * nodes, nodes, rows),
                us -> spread == 0
                        ? us
                        : us * Math.exp(spread * noise.nextGaussian()) * (noise.nextInt(10) == 0 ? 1.5 : 1));
    }

    /** A table of GEMMs on GPUs whose tensor cores reach so many times what the catalog says. */
    private static String gemms(String base, double rate, Random noise, double spread) {
        var gpu = base(base).with(Map.of("gemm_rate", rate)).gpu();
        StringBuilder table = new StringBuilder("m,n,k,dtype,us\n");
        for (int m : new int[] {2048, 4096, 8192}) {
            for (int n : new int[] {2048, 4096, 11008, 14336}) {
                for (int k : new int[] {2048, 4096, 8192}) {
                    double us = RooflineKernelTime.of(gpu).isolatedPs(new Kernel.Matmul("", 1, m, n, k)) / 1e6;
                    double measured = spread == 0
                            ? us
                            : us * Math.exp(spread * noise.nextGaussian()) * (noise.nextInt(10) == 0 ? 1.5 : 1);
                    table.append(String.format(Locale.ROOT, "%d,%d,%d,bf16,%.2f%n", m, n, k, measured));
                }
            }
        }
        return table.toString();
    }

    /** Kernels cost no simulation: 50 clusters. */
    @Test
    void hiddenRatesOfKernelsAreFound() throws InputException {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            String base = BASES.get(seed % BASES.size());
            double rate = 0.75 + 0.3 * random.nextDouble();
            for (double spread : new double[] {0, 0.03}) {
                Calibration found = calibrate(base, Map.of("gemm.csv", gemms(base, rate, random, spread)));
                assertThat(found.ofKernels().values().values())
                        .singleElement(DOUBLE)
                        .as("%s, seed %d, spread %s", base, seed, spread)
                        .isCloseTo(rate, withinPercentage(spread == 0 ? 0.5 : 3));
            }
        }
    }

    private static Calibration calibrate(String base, Map<String, String> logs) throws InputException {
        return Objects.requireNonNull(new Calibrator(PointSimulation::new, 2)
                .calibrate(
                        new Calibrator.Question(Base.of(base), logs, List.of(), null, 0, false), (share, what) -> {}));
    }

    static LongStream seeds() {
        return LongStream.range(2, 50);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("night")
    void hiddenFiguresOfManyClustersAreFound(long seed) throws InputException {
        hiddenFiguresAreFound(seed);
    }

    /** Within 0.5 % without noise; with noise of 3 % and one outlier in ten within 3 %, or three times the error that is told. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void hiddenFiguresAreFound(long seed) throws InputException {
        Random random = new Random(seed);
        String base = BASES.get((int) (seed % BASES.size()));
        var instance = Objects.requireNonNull(Catalog.instance(base)).spec();
        double share = 0.8 + 0.2 * random.nextDouble();
        double steps = 0.8 + random.nextDouble();
        double inNode = 0.8 + 0.2 * random.nextDouble();
        double rate = 0.8 + 0.25 * random.nextDouble();
        double start = 1 + 3 * random.nextDouble();
        Map<String, Object> hidden = new LinkedHashMap<>();
        hidden.put("gemm_rate", rate);
        hidden.put(
                "nic_effective", (long) (share * instance.nic().effectiveRate().bytesPerSecond()));
        hidden.put("nccl_steps", steps);
        hidden.put("intra_node_effective", (long)
                (inNode * instance.intraNode().perGpuRate().bytesPerSecond()));
        for (double spread : new double[] {0, 0.03}) {
            // Noise hides whether it is the start or the steps that take longer.
            hidden.put("nccl_base", spread == 0 ? start : 1.0);
            Map<String, String> logs = new LinkedHashMap<>();
            // Between nodes the links within them are as the catalog says, or the other fit would have to know them.
            Map<String, Object> between = new LinkedHashMap<>(hidden);
            between.remove("intra_node_effective");
            for (int nodes : new int[] {2, 4}) {
                for (CollectiveKind kind : List.of(CollectiveKind.ALL_GATHER, CollectiveKind.REDUCE_SCATTER)) {
                    logs.put(kind.id() + nodes, log(base, kind, nodes, between, random, spread));
                }
            }
            logs.put("node", log(base, CollectiveKind.ALL_GATHER, 1, hidden, random, spread));
            logs.put("kernels", gemms(base, rate, random, spread));
            Calibration found = calibrate(base, logs);
            double close = spread == 0 ? 0.005 : 0.03;
            Map<Parameter, Double> values =
                    new LinkedHashMap<>(found.betweenNodes().values());
            values.putAll(found.inNode().values());
            values.putAll(found.ofKernels().values());
            Map<Parameter, Double> errors =
                    new LinkedHashMap<>(found.betweenNodes().errors());
            errors.putAll(found.inNode().errors());
            errors.putAll(found.ofKernels().errors());
            assertThat(values).as("%s, seed %d, spread %s", base, seed, spread).hasSizeBetween(spread == 0 ? 5 : 4, 5);
            values.forEach((parameter, value) -> {
                double truth = ((Number) Objects.requireNonNull(hidden.get(parameter.key()))).doubleValue()
                        / ((Number) parameter.resolved(1)).doubleValue();
                assertThat(value / truth)
                        .as("%s of %s, seed %d, spread %s", parameter.key(), base, seed, spread)
                        .isCloseTo(1, within(Math.max(close, spread == 0 ? 0 : 3 * errors.get(parameter))));
            });
        }
    }

    @Test
    void theInstanceFileIsReadBackAndAnswersAsTheClusterDoes() throws InputException, IOException {
        Map<String, Object> hidden = Map.of("nic_effective", 9_000_000_000L, "nccl_steps", 1.4);
        Random random = new Random(1);
        Calibration found = calibrate(
                "p4d.24xlarge", Map.of("a.log", log("p4d.24xlarge", CollectiveKind.ALL_GATHER, 2, hidden, random, 0)));
        Path file = folder.resolve("mine.yaml");
        Files.writeString(file, CalibrationText.instance(found, "2026-11-28"));
        var entry = InstanceFiles.read(file.toString());
        assertThat(entry.name()).isEqualTo("mine");
        assertThat(entry.spec().nic().effectiveRate().bytesPerSecond() / 9e9).isCloseTo(1, within(0.005));
        assertThat(entry.spec().network().steps()).isCloseTo(1.4, within(0.01));
        assertThat(entry.figures()).anySatisfy(figure -> {
            assertThat(figure.key()).isEqualTo("nic_effective");
            assertThat(figure.source()).contains("a.log");
            assertThat(figure.date()).isEqualTo("2026-11-28");
        });
        assertThat(found.since(file.toString()))
                .allMatch(line -> line.endsWith("(+0.0 %)") || line.endsWith("(-0.0 %)"));
        assertThat(CalibrationText.write(found, 80).lines()).allMatch(line -> line.length() <= 80);
        assertThat(found.inNode().open()).extracting(Parameter::key).containsExactly("intra_node_effective");
    }

    /** A collective that starts late does so whatever its size; slow steps cost large ones more. */
    @ParameterizedTest
    @CsvSource({"nccl_base, 6", "nccl_steps, 2.5"})
    void latencyIsThatOfTheStartOrOfTheSteps(String key, double factor) throws InputException {
        Calibration found = calibrate(
                "a3-ultragpu-8g",
                Map.of(
                        "a.log",
                        log("a3-ultragpu-8g", CollectiveKind.ALL_GATHER, 2, Map.of(key, factor), new Random(1), 0)));
        assertThat(found.betweenNodes().values().entrySet())
                .filteredOn(each -> each.getKey().key().startsWith("nccl_"))
                .filteredOn(each -> Math.abs(each.getValue() - 1) > 0.01)
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.getKey().key()).isEqualTo(key);
                    assertThat(each.getValue()).isCloseTo(factor, withinPercentage(1));
                });
    }

    private static Calibration ofPublic(String file) throws InputException {
        PrintedLogs.Public log = PrintedLogs.all().stream()
                .filter(each -> each.file().equals(file))
                .findFirst()
                .orElseThrow();
        return calibrate(Objects.requireNonNull(log.base()), Map.of(file, log.text()));
    }

    /** Half of the GPUs of a node; a ring that uses all NICs, where a tree would be faster. */
    @Test
    void publicLogsAreBrokenByTheirCause() throws InputException {
        assertThat(CalibrationText.write(ofPublic("dgx-a100-1n-4g-no-p2p.csv"), 400))
                .contains("on 4 GPUs", "Likeliest: GPUs joined by PCIe instead of NVLink: through host memory");
        assertThat(CalibrationText.write(ofPublic("azure-nd-a100-v4-2n-ipoib.csv"), 400))
                .contains("Likeliest: TCP sockets instead of RDMA");
        assertThat(ofPublic("deepops-dgx1-2n.csv").broken()).isEmpty();
    }

    /** A node of one GPU has no links between GPUs that could be off. */
    @Test
    void nvlinkIsNoCauseBetweenNodesOfOneGpu() throws InputException {
        Calibration found = ofPublic("aws-g4dn-2n-tcp.csv");
        assertThat(CalibrationText.write(found, 400)).contains("Likeliest: TCP sockets instead of RDMA");
        assertThat(CalibrationText.write(ofPublic("nccl-tests-293-a100-2n-nps4.csv"), 400))
                .contains("looks broken")
                .doesNotContain("NVLink");
    }

    /** A hundredth of the rate, as over TCP. */
    @Test
    void theFileOfABrokenClusterSaysWhatItReaches() throws InputException {
        Map<String, Object> slow = Map.of("nic_effective", 200_000_000L, "nccl_steps", 3.0);
        Calibration found = calibrate(
                "dgx-a100", Map.of("a.log", log("dgx-a100", CollectiveKind.ALL_REDUCE, 2, slow, new Random(1), 0)));
        assertThat(found.broken()).hasSize(1);
        found.betweenNodes()
                .values()
                .forEach((parameter, value) -> assertThat(((Number) parameter.resolved(value)).doubleValue()
                                / ((Number) slow.getOrDefault(parameter.key(), 1.0)).doubleValue())
                        .as(parameter.key())
                        .isCloseTo(1, within(0.05)));
        assertThat(found.figures()).containsKey("nic_effective");
    }

    @Test
    void whatSizesDoNotTellIsNotFitted() throws InputException {
        CollectiveTest small = new CollectiveTest("", CollectiveKind.ALL_REDUCE, 16, 2, List.of());
        List<Row> rows = LongStream.of(8, 64, 512, 4096)
                .mapToObj(bytes ->
                        new Row(1, bytes, seconds("dgx-a100", small, new Row(1, bytes, 1), Map.of("nccl_steps", 1.2))))
                .toList();
        Calibration found = calibrate(
                "dgx-a100",
                Map.of("a.log", PrintedLogs.of(new CollectiveTest("", small.kind(), 16, 2, rows), us -> us)));
        assertThat(found.betweenNodes().open())
                .extracting(Parameter::key)
                .containsExactly("nic_effective", "nccl_base");
        assertThat(CalibrationText.write(found, 120)).contains("all_gather_perf -b 64M");
    }

    /** Each collective takes 40 us whatever its size, twice of what is known. */
    @Test
    void smallSizesThatFitNothingDoNotHideTheRate() throws InputException {
        List<Row> rows = new ArrayList<>();
        for (long bytes = 1024; bytes <= 1L << 30; bytes *= 2) {
            rows.add(new Row(1, bytes, 40e-6 + 4.01e-12 * bytes));
        }
        Calibration found = calibrate(
                "p4d.24xlarge",
                Map.of(
                        "a.log",
                        PrintedLogs.of(new CollectiveTest("", CollectiveKind.ALL_GATHER, 8, 1, rows), us -> us)));
        assertThat(found.figures()).containsOnlyKeys("intra_node_effective");
        assertThat(found.inNode().quality().median()).isLessThan(0.07);
        assertThat(CalibrationText.write(found, 120)).doesNotContain("-g 8 on one node");
    }

    @Test
    void aBrokenClusterIsNamedAndLeftOutWhereItShouldBeHealthy() throws InputException {
        Map<String, Object> oneNic = Map.of("nics_per_node", 1L);
        String log = log("dgx-a100", CollectiveKind.ALL_GATHER, 2, oneNic, new Random(1), 0);
        Calibration found = calibrate("dgx-a100", Map.of("a.log", log));
        assertThat(found.broken()).hasSize(1);
        assertThat(CalibrationText.write(found, 120)).contains("a.log looks broken", "Not all NICs used: one of them");
        Calibration healthy = Objects.requireNonNull(new Calibrator(PointSimulation::new, 2)
                .calibrate(
                        new Calibrator.Question(base("dgx-a100"), Map.of("a.log", log), List.of(), null, 0, true),
                        (share, what) -> {}));
        assertThat(healthy.figures()).isEmpty();
        assertThat(healthy.broken()).hasSize(1);
    }

    /** Latency bounds most sizes of this log, and the NICs of another machine the rest. */
    @Test
    void theRateOfSlowNicsIsFoundBesideManySmallSizes() throws InputException, IOException {
        Calibration found =
                calibrate("p5.48xlarge", Map.of("a.log", Files.readString(Path.of("configurations/all_reduce.log"))));
        assertThat(found.broken()).hasSize(1);
        assertThat(found.figures()).containsKeys("nic_effective", "nccl_steps");
        assertThat(found.betweenNodes().quality().median()).isLessThan(0.1);
        assertThat(found.unexplained()).isEmpty();
    }

    @Test
    void whatNoFigureExplainsIsToldAndLeavesNoneInTheFile() throws InputException, IOException {
        CollectiveTest asked = new CollectiveTest("", CollectiveKind.ALL_GATHER, 16, 2, List.of());
        double[] slower = {16, 4, 1, 16, 4, 1};
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < slower.length; i++) {
            Row row = new Row(1, 64L << 20 + i, 1);
            rows.add(new Row(1, row.bytes(), slower[i] * seconds("dgx-a100", asked, row, Map.of())));
        }
        Calibration found = calibrate(
                "dgx-a100",
                Map.of(
                        "a.log",
                        PrintedLogs.of(new CollectiveTest("", asked.kind(), 16, 2, rows), us -> us),
                        "gemm.csv",
                        gemms("dgx-a100", 0.9, new Random(1), 0)));
        assertThat(found.figures()).containsOnlyKeys("gemm_rate");
        String told = "a.log: all_gather of 1.07 GB reached ";
        assertThat(CalibrationText.write(found, 200)).contains(told, "No figure of an instance file explains it");
        Path file = Files.writeString(folder.resolve("odd.yaml"), CalibrationText.instance(found, "2026-11-29"));
        assertThat(Files.readString(file)).startsWith("# a.log: all_gather of ").contains("# " + told);
        assertThat(InstanceFiles.read(file.toString()).name()).isEqualTo("odd");
        assertThat(CalibrationText.json(found)).contains("\"notes\"", told);
    }
}
