package io.shardsim.scenarios.calibrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.assertj.core.api.InstanceOfAssertFactories.DOUBLE;

import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.scenario.InstanceFiles;
import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.compute.RooflineKernelTime;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.GpuSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables and profiles of kernels, and the script that prints them. */
class KernelRunsTest {
    private static final Path STUB = Path.of("core/src/test/resources/calibrating/stub");

    @TempDir
    Path folder;

    private static KernelRuns read(String text) throws InputException {
        KernelRuns runs = new KernelRuns(Base.of("p5.48xlarge"));
        runs.read("table", text);
        return runs;
    }

    private static Calibration calibrate(String base, Map<String, String> logs, List<String> profiles)
            throws InputException {
        return Objects.requireNonNull(new Calibrator(PointSimulation::new, 2)
                .calibrate(
                        new Calibrator.Question(Base.of(base), logs, profiles, null, 0, false), (share, what) -> {}));
    }

    @Test
    void tablesStandAnywhereInAText() throws InputException {
        KernelRuns runs = read("""
                # H100, driver 550
                M, N, K, dtype, TFLOPS
                4096, 4096, 8192, torch.bfloat16, 700
                8192, 4096, 1024, fp16, 500

                batch,heads,length,head_size,causal,pass,us
                2,32,4096,128,true,forward,700.5
                2,32,4096,128,false,backward,3000
                and other words, of which a log is full
                """.replace("torch.", ""));
        assertThat(runs.all)
                .extracting(KernelRuns.Run::kernel)
                .containsExactly(
                        new Kernel.Matmul("table", 1, 4096, 4096, 8192),
                        new Kernel.Matmul("table", 1, 8192, 4096, 1024),
                        new Kernel.FlashAttention("table", 64, 4096, 128, true, Kernel.Pass.FORWARD),
                        new Kernel.FlashAttention("table", 64, 4096, 128, false, Kernel.Pass.BACKWARD));
        assertThat(runs.all.get(0).seconds()).isCloseTo(2.0 * 4096 * 4096 * 8192 / 700e12, withinPercentage(1e-6));
        assertThat(runs.all.get(2).seconds()).isCloseTo(700.5e-6, withinPercentage(1e-6));
        assertThat(KernelRuns.isIn("size,time\n1,2")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "4096,4096,4096,bf16,1e-3|TFLOPS, and the peak of the GPU of p5.48xlarge is 989",
                "4096,4096,4096,bf16,N/A|us n/a is not a number",
                "4096,4096,4096,bf16,0|us 0 is not above 0",
                "4096,4096,4096,bf16,-3|us -3 is not above 0",
                "4096,4096,4096,bf16|4 columns, not 5",
                "4096,4096,4096,bf16,211445|0.65 TFLOPS, and the peak of the GPU of p5.48xlarge is 989: a wrong unit, such as ns",
                "4096,4096,4096,bf16,NaN|us nan is not a number",
                "4096,0,4096,bf16,9|n 0 is not above 0",
                "4096,4096,99999999999,bf16,9|k 99999999999 is not in",
                "4096,4096,4096,fp8,9|dtype fp8 is not bf16 or fp16"
            })
    void whatIsNoRowIsToldWithItsLine(String row, String told) {
        assertThatThrownBy(() -> read("m,n,k,dtype,us\n2048,2048,2048,bf16,40\n" + row))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("table:3:1: is not a row under m,n,k,dtype,us")
                .hasMessageContaining(told);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "m,n,k,dtype,ms|column ms is unknown; write us or tflops",
                "m,n,k,us,layer|column layer is unknown; remove it",
                "m,n,k,dtype|no column has a time; write us or tflops",
                "batch,heads,length,head_size,tflops|column tflops is unknown; write us",
                "m;n;k;us|separate columns with commas, not semicolons"
            })
    void aHeadingThatCannotBeIsToldWhereverItStands(String heading, String told) {
        String text = "m,n,k,us\n4096,4096,4096,211\n\n" + heading + "\n4096,4096,4096,211\n";
        assertThat(KernelRuns.isIn(heading)).isTrue();
        assertThatThrownBy(() -> read(text)).hasMessageContaining("table:4:1: " + told);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maybe,forward,900,bf16|causal maybe is not one of 0, 1, false, no, true, yes",
                "true,banana,900,bf16|pass banana is not one of backward, bwd, forward, fwd",
                "true,forward,0.9,bf16|305,420 TFLOPS, and the peak of the GPU of p5.48xlarge is 989",
                "true,backward,900000,bf16|0.764 TFLOPS, and the peak of the GPU of p5.48xlarge is 989: a wrong unit"
            })
    void attentionIsCheckedAsGemmsAre(String row, String told) {
        String text = "batch,heads,length,head_size,causal,pass,us,dtype\n2,32,4096,128," + row;
        assertThatThrownBy(() -> read(text)).hasMessageContaining("table:2:1: ").hasMessageContaining(told);
    }

    /** Words amid a table, quotes, whole numbers with a point, and a sign of micro that was decoded as Latin-1. */
    @Test
    void noRowIsLostAmidWords() throws InputException {
        assertThat(read("m,n,k,\u00c2\u00b5s\n4096.0,4096,4096,211\nnonsense,here\n\"4096\",\"4096\",4096,212\n").all)
                .extracting(run -> Math.round(run.seconds() * 1e6))
                .containsExactly(211L, 212L);
    }

    @Test
    void aTimeAndARateThatContradictEachOtherAreRefused() throws InputException {
        String row = "m,n,k,us,tflops\n4096,4096,4096,211.445,";
        assertThat(read(row + "650").all).hasSize(1);
        assertThatThrownBy(() -> read(row + "300"))
                .hasMessageContaining("table:2:1: ")
                .hasMessageContaining("211.445 us are 650 TFLOPS, and tflops says 300");
    }

    @Test
    void aWrongUnitIsToldOnce() {
        String row = "4096,4096,4096,0.2\n";
        assertThatThrownBy(() -> read("m,n,k,us\n" + row.repeat(9)))
                .isInstanceOfSatisfying(
                        InputException.class,
                        refused -> assertThat(refused.problems()).hasSize(1))
                .hasMessageContaining("table:2:1: ")
                .hasMessageContaining("9 rows are above its peak");
    }

    @Test
    void slowGemmsLookBrokenAndAreLeftOutWhereTheyShouldBeHealthy() throws InputException {
        String table = "m,n,k,tflops\n4096,4096,4096,200\n8192,8192,8192,200\n4096,8192,8192,200\n";
        Calibration found = calibrate("p5.48xlarge", Map.of("a.csv", table), List.of());
        assertThat(CalibrationText.write(found, 200))
                .containsPattern(
                        "a.csv looks broken: 200 TFLOPS, where p5.48xlarge should reach 7\\d\\d: clocks, power limit, dtype or unit\\?");
        assertThat(CalibrationText.json(found)).contains("\"notes\"", "a.csv looks broken: 200 TFLOPS");
        Calibration healthy = Objects.requireNonNull(new Calibrator(PointSimulation::new, 2)
                .calibrate(
                        new Calibrator.Question(
                                Base.of("p5.48xlarge"), Map.of("a.csv", table), List.of(), null, 0, true),
                        (share, what) -> {}));
        assertThat(healthy.figures()).isEmpty();
        assertThat(CalibrationText.write(
                        calibrate("p5.48xlarge", Map.of("a.csv", table.replace("200", "700")), List.of()), 200))
                .doesNotContain("looks broken");
    }

    @Test
    void twoTimesOfOneGemmAreNamedWhereNoRateFollows() throws InputException {
        StringBuilder table = new StringBuilder("m,n,k,tflops\n");
        for (int rate : new int[] {650, 400}) {
            for (int side = 2048; side <= 12288; side += 2048) {
                table.append(String.format(Locale.ROOT, "%1$d,%1$d,%1$d,%2$d%n", side, rate));
            }
        }
        Calibration found = calibrate("p5.48xlarge", Map.of("a.csv", table.toString()), List.of());
        assertThat(found.figures()).isEmpty();
        assertThat(CalibrationText.write(found, 200))
                .contains("Not determined: GEMM rate", "2048 x 2048 x 2048 took 26.4 us and 42.9 us; measure it again")
                .doesNotContain("A table of GEMMs");
    }

    /** Launches take all the time of small ones. */
    @Test
    void smallGemmsTellNoRate() throws InputException {
        Calibration found = calibrate("p5.48xlarge", Map.of("a", "m,n,k,us\n64,64,64,4\n128,128,128,4.1\n"), List.of());
        assertThat(found.figures()).isEmpty();
        assertThat(CalibrationText.write(found, 200)).contains("Not determined: GEMM rate", "calibrate --kit");
    }

    private static String dims(Kernel.Matmul gemm) {
        return "[[" + gemm.m() + "," + gemm.k() + "],[" + gemm.k() + "," + gemm.n() + "]]";
    }

    private static String gemm(int operator, double atUs, double us, String shapes, String type) {
        return String.format(
                Locale.ROOT,
                """
                {"ph": "X", "cat": "cpu_op", "name": "aten::%s", "ts": 1, "dur": 1, "args": {"External id": %d, "Input type": ["%s", "%s", "%s"], "Input Dims": %s}},
                {"ph": "X", "cat": "kernel", "name": "nvjet_hsh_192x192", "ts": %.3f, "dur": %.3f, "args": {"External id": %d, "stream": 7, "correlation": %d}},
                """,
                shapes.startsWith("[[1]") ? "addmm" : shapes.startsWith("[[4,") ? "bmm" : "mm",
                operator,
                type,
                type,
                type,
                shapes,
                atUs,
                us,
                operator,
                100_000 + operator);
    }

    /** Of three of a shape the median counts; not those beside a collective, of another type, or without a shape. */
    @Test
    void gemmsOfAProfileTellTheRate() throws InputException, IOException {
        GpuSpec gpu = Base.of("p5.48xlarge").with(Map.of("gemm_rate", 0.9)).gpu();
        Kernel.Matmul[] shapes = {
            new Kernel.Matmul("profile", 1, 4096, 8192, 2048),
            new Kernel.Matmul("profile", 1, 8192, 4096, 4096),
            new Kernel.Matmul("profile", 4, 4096, 4096, 4096),
            new Kernel.Matmul("profile", 1, 14336, 4096, 4096),
            new Kernel.Matmul("profile", 1, 4096, 14336, 4096),
            new Kernel.Matmul("profile", 1, 4096, 4096, 14336),
            new Kernel.Matmul("profile", 1, 4096, 32000, 8192),
            new Kernel.Matmul("profile", 1, 8192, 8192, 8192),
            new Kernel.Matmul("profile", 1, 4096, 4096, 8192),
            new Kernel.Matmul("profile", 1, 4096, 8192, 8192)
        };
        String[] dims = {"", "[[1],[8192,4096],[4096,4096],[],[]]", "[[4,4096,4096],[4,4096,4096]]"};
        StringBuilder events = new StringBuilder();
        int operator = 0;
        double at = 1000;
        for (int i = 0; i < shapes.length; i++) {
            double us = RooflineKernelTime.of(gpu).kernelPs(shapes[i]) / 1e6;
            for (double times : new double[] {1, 1.01, 0.8}) {
                events.append(gemm(
                        ++operator, at, times * us, i == 1 || i == 2 ? dims[i] : dims(shapes[i]), "c10::BFloat16"));
                at += 10_000;
            }
        }
        events.append(gemm(++operator, at, 5, "[[8192,8192],[8192,8192]]", "c10::Half"));
        events.append(String.format(
                Locale.ROOT,
                "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_AllGather_RING_LL\", \"ts\": %.1f, \"dur\": 50, \"args\": {\"stream\": 9}},",
                at + 3));
        events.append(gemm(++operator, at + 20, 5, "[[8192,8192],[8192,8192]]", "c10::Half"));
        events.append(gemm(++operator, at + 90, 9, "[[8192,8192],[8192,8192]]", "float"));
        String document = "{\"traceEvents\": [" + events.toString().strip().replaceFirst(",$", "") + "]}";
        Path profile = Files.writeString(folder.resolve("profile.json"), document);

        Calibration found = calibrate("p5.48xlarge", Map.of(), List.of(profile.toString()));
        assertThat(found.kernels().all)
                .extracting(KernelRuns.Run::kernel)
                .containsExactlyInAnyOrderElementsOf(List.of(shapes));
        assertThat(found.ofKernels().values().values()).singleElement(DOUBLE).isCloseTo(0.9, withinPercentage(0.5));

        Path plain = Files.writeString(folder.resolve("plain.json"), document.replace("Input Dims", "Other"));
        assertThatThrownBy(() -> calibrate("p5.48xlarge", Map.of(), List.of(plain.toString())))
                .hasMessageContaining("record_shapes=True");
    }

    /** A file of last month keeps what was measured then, unless it was measured again. */
    @Test
    void aFileIsTheBaseOfTheNext() throws InputException, IOException {
        Path old = Files.writeString(folder.resolve("old.yaml"), """
                title: "last month's: \\"a\\""
                extends: p5.48xlarge
                nic_effective: {value: 40 GB/s, from: measured, note: "x"}
                gemm_rate: {value: 0.8, from: measured}
                sources:
                  measured: {source: "a.log", date: 2026-10-28}
                """);
        GpuSpec gpu = Base.of("p5.48xlarge").with(Map.of("gemm_rate", 0.9)).gpu();
        StringBuilder table = new StringBuilder("m,n,k,us\n");
        for (int side = 2048; side <= 16384; side += 1024) {
            table.append(String.format(
                    Locale.ROOT,
                    "%d,%d,%d,%.2f%n",
                    side,
                    side,
                    side,
                    RooflineKernelTime.of(gpu).isolatedPs(new Kernel.Matmul("", 1, side, side, side)) / 1e6));
        }
        Calibration found = calibrate(old.toString(), Map.of("gemm.csv", table.toString()), List.of());
        Path written = Files.writeString(folder.resolve("new.yaml"), CalibrationText.instance(found, "2026-11-29"));
        var entry = InstanceFiles.read(written.toString());
        assertThat(entry.spec().nic().effectiveRate().bytesPerSecond()).isEqualTo(40_000_000_000L);
        assertThat(entry.spec().gpu().peakHalfFlopsPerSecond()).isCloseTo(0.9 * 989.4e12, withinPercentage(0.5));
        assertThat(entry.figures())
                .anySatisfy(figure -> {
                    assertThat(figure.key()).isEqualTo("nic_effective");
                    assertThat(figure.source()).isEqualTo(old.toString());
                })
                .anySatisfy(figure -> {
                    assertThat(figure.key()).isEqualTo("gemm_rate");
                    assertThat(figure.source()).isEqualTo("measured: gemm.csv");
                });
        assertThat(found.since(old.toString())).containsExactly("gemm_rate: 0.9, was 0.8 (+12.5 %)");
    }

    /** With a stub in PyTorch's place: what the script prints is read, whatever it measures. */
    @Test
    void whatTheKitPrintsIsRead() throws Exception {
        Path script = Files.writeString(folder.resolve("kit.py"), Calibrator.kit());
        Path printed = folder.resolve("kit.log");
        Process python;
        try {
            ProcessBuilder builder = new ProcessBuilder("python3", "-B", script.toString());
            builder.environment()
                    .putAll(Map.of(
                            "PYTHONPATH",
                            STUB.toAbsolutePath().toString(),
                            "RANK",
                            "0",
                            "WORLD_SIZE",
                            "8",
                            "LOCAL_WORLD_SIZE",
                            "8"));
            python = builder.redirectErrorStream(true)
                    .redirectOutput(printed.toFile())
                    .start();
        } catch (IOException missing) {
            Assumptions.abort("no python3");
            return;
        }
        assertThat(python.waitFor(1, TimeUnit.MINUTES)).isTrue();
        String text = Files.readString(printed, StandardCharsets.UTF_8);
        assertThat(python.exitValue()).as(text).isZero();

        assertThat(read(text).all).extracting(KernelRuns.Run::isGemm).containsExactly(true, true, true, false, false);
        assertThat(CollectiveLog.read("kit.log", text, null, 0))
                .extracting(test -> test.kind().id(), CollectiveTest::ranks, CollectiveTest::nodes)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("all_gather", 8, 1),
                        org.assertj.core.groups.Tuple.tuple("reduce_scatter", 8, 1));
    }
}
