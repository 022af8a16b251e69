package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.compute.Kernel.FlashAttention;
import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.MemoryBound;
import io.shardsim.simulator.compute.Kernel.Operands;
import io.shardsim.simulator.compute.Kernel.Pass;
import io.shardsim.topology.GpuSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class RooflineKernelTimeTest {
    private static final RooflineKernelTime A100 = RooflineKernelTime.of(Gpus.A100_80GB);

    private static double teraflops(RooflineKernelTime model, Matmul matmul) {
        return matmul.flops() / model.kernelPs(matmul);
    }

    @Test
    void noProductBeatsThePeak() {
        for (GpuSpec gpu : List.of(Gpus.V100, Gpus.A100_80GB, Gpus.H100_80GB)) {
            RooflineKernelTime model = RooflineKernelTime.of(gpu);
            for (long size = 64; size <= 32768; size *= 2) {
                assertThat(teraflops(model, new Matmul("square", 1, size, size, size)))
                        .isLessThan(gpu.peakHalfFlopsPerSecond() / 1e12);
            }
        }
    }

    @Test
    void aBlockMoreThanAWaveCostsAlmostAWave() {
        // 108 tiles of 256 x 128 fill an A100 once; 109 need a second wave.
        long one = A100.kernelPs(new Matmul("one wave", 1, 256 * 12, 128 * 9, 16384));
        long two = A100.kernelPs(new Matmul("more", 1, 256 * 12, 128 * 10, 16384));
        assertThat((double) two / one).isGreaterThan(1.1);
    }

    @Test
    void thinProductsAreLimitedByMemory() {
        Matmul thin = new Matmul("thin", 1, 16, 16384, 16384);
        double bytesPerSecond = 2.0 * 16384 * 16384 / (A100.kernelPs(thin) * 1e-12);
        assertThat(bytesPerSecond).isBetween(0.4 * 2.039e12, 2.039e12);
    }

    @Test
    void in32BitsProductsRunOnTheVectorUnits() {
        Matmul large = new Matmul("large", 1, 8192, 8192, 8192);
        RooflineKernelTime single = new RooflineKernelTime(Gpus.A100_80GB, GpuCalibration.named("ampere"), 108, 4);
        double flopsPerSecond = 2 * Math.pow(8192, 3) / (single.kernelPs(large) * 1e-12);
        assertThat(flopsPerSecond).isBetween(0.8 * 19.5e12, 19.5e12);
    }

    @Test
    void operandsOf8BitsAreMultipliedFasterAndFastestWithoutSplitSums() {
        RooflineKernelTime hopper = RooflineKernelTime.of(Gpus.H100_80GB);
        long half = hopper.kernelPs(new Matmul("large", 1, 8192, 8192, 8192));
        long fast = hopper.kernelPs(new Matmul("large", 1, 8192, 8192, 8192, Operands.EIGHT_BITS));
        long split = hopper.kernelPs(new Matmul("large", 1, 8192, 8192, 8192, Operands.EIGHT_BITS_SPLIT_SUMS));

        assertThat((double) half / fast).isBetween(1.7, 2.0);
        assertThat((double) split / fast).isBetween(1.1, 1.2);
        assertThat(GpuCalibration.named("hopper").multipliesEightBits()).isTrue();
        assertThat(GpuCalibration.named("ampere").multipliesEightBits()).isFalse();
    }

    @Test
    void fewerSmsSlowProductsInProportion() {
        Matmul large = new Matmul("large", 1, 8192, 8192, 8192);
        RooflineKernelTime fewer = new RooflineKernelTime(Gpus.A100_80GB, GpuCalibration.named("ampere"), 108 - 24, 2);
        double ratio = (double) fewer.kernelPs(large) / A100.kernelPs(large);
        assertThat(ratio).isBetween(1.15, 108.0 / (108 - 24) * 1.05);
    }

    @Test
    void memoryBoundTimeIsBytesOverTheAchievedRatePlusAFixedTime() {
        GpuCalibration calibration = GpuCalibration.named("ampere");
        long one = A100.kernelPs(new MemoryBound("copy", 1_000_000_000L));
        long two = A100.kernelPs(new MemoryBound("copy", 2_000_000_000L));
        double rate = 1e9 / ((two - one) * 1e-12);
        assertThat(rate).isCloseTo(2.039e12 * calibration.memoryBound().hbmRatio(), within(1e9));
        assertThat(one - (two - one))
                .isBetween(
                        calibration.memoryBound().fixedPs() - 2,
                        calibration.memoryBound().fixedPs() + 2);
    }

    @Test
    void fusedAttentionReachesItsRateOnLongSequencesOnly() {
        double longest = attentionRate(8192, 128);
        double shortest = attentionRate(256, 128);
        // Counted as in the paper: half of all keys.
        assertThat(longest).isBetween(0.60 * 312e12, 0.73 * 312e12);
        assertThat(shortest).isLessThan(0.85 * longest);
    }

    private static double attentionRate(long sequence, long headDim) {
        long heads = 16384 / sequence * 16;
        long ps = A100.kernelPs(new FlashAttention("attention", heads, sequence, headDim, true, Pass.FORWARD));
        return 4.0 * heads * sequence * sequence / 2 * headDim / (ps * 1e-12);
    }

    @Test
    void unknownFamiliesAreRefusedWithTheRemedy() {
        assertThatThrownBy(() -> GpuCalibration.named("kepler"))
                .hasMessageContaining("kepler")
                .hasMessage(
                        "no kernel-time calibration kepler: there is no catalog/compute/kepler.yaml on the class path;"
                                + " known: " + String.join(", ", GpuCalibration.FAMILIES.names()));
    }
}
