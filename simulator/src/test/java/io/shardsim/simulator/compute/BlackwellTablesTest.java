package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.simulator.compute.Kernel.FlashAttention;
import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Pass;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels on Blackwell beside some of the measured ones that its calibration rests on: each GPU has its own clock, each cuDNN its own attention. */
class BlackwellTablesTest {
    private static final String ARCHITECTURE = "blackwell";
    private static final double PS_PER_MS = 1e9;
    private static final List<Matmul> GEMMS = List.of(
            gemm(8192, 8192, 8192), gemm(16384, 16384, 4096), gemm(8192, 16384, 12288), gemm(4096, 16384, 16384));

    /** The sum of their BF16 rows in TensorRT-LLM 1.3.0rc20's tables (ai-dynamo/aiconfigurator at 095f58a5). */
    @ParameterizedTest
    @CsvSource({"b200, 5.356", "b300, 5.625", "gb200, 5.682", "gb300, 4.811"})
    void longGemmsRunAtTheClockOfTheGpu(String gpu, double measuredMs) {
        RooflineKernelTime times = RooflineKernelTime.of(spec(gpu));
        double ms = GEMMS.stream().mapToLong(times::isolatedPs).sum() / PS_PER_MS;
        assertThat(ms).isCloseTo(measuredMs, withinPercentage(10));
    }

    /** Causal attention with heads of 128, 8 for keys (NVIDIA/cudnn-frontend, benchmark/sdpa_benchmark_training at 0b1577c, df73764 and b8c0656). */
    @ParameterizedTest
    @CsvSource({
        "b200, transformer-engine, 128, 16384, 6.602, 20.460",
        "gb300, transformer-engine, 128, 16384, 5.167, 17.345",
        "gb200, transformer-engine-cudnn-9.18, 64, 4096, 0.206, 0.607",
        "gb200, transformer-engine-cudnn-9.18, 64, 32768, 10.226, 29.863",
        "gb300, transformer-engine-cudnn-9.18, 64, 4096, 0.164, 0.575",
        "gb300, transformer-engine-cudnn-9.18, 64, 32768, 8.734, 28.390"
    })
    void attentionHasTheRateOfItsRelease(
            String gpu, String profile, int heads, long tokens, double forward, double backward) {
        GpuSpec spec = spec(gpu);
        GpuCalibration shipped = GpuCalibration.of(spec).under(FrameworkProfile.named(profile), ARCHITECTURE);
        RooflineKernelTime times = new RooflineKernelTime(spec, shipped, spec.smCount(), 2);
        assertThat(times.kernelPs(attention(heads, tokens, Pass.FORWARD)) / PS_PER_MS)
                .isCloseTo(forward, withinPercentage(12));
        assertThat(times.kernelPs(attention(heads, tokens, Pass.BACKWARD)) / PS_PER_MS)
                .isCloseTo(backward, withinPercentage(6));
    }

    private static GpuSpec spec(String name) {
        boolean grace = name.startsWith("g");
        return new GpuSpec(
                name,
                ARCHITECTURE,
                180L << 30,
                new Bandwidth(grace ? 8_000_000_000_000L : 7_700_000_000_000L),
                grace ? 2500e12 : 2250e12,
                80e12,
                148,
                grace ? 2_062_000_000L : 1_856_000_000L);
    }

    private static Matmul gemm(long m, long n, long k) {
        return new Matmul("table", 1, m, n, k);
    }

    private static FlashAttention attention(int heads, long tokens, Pass pass) {
        return new FlashAttention("attention", heads, tokens, 128, true, pass);
    }
}
