package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.compute.Kernel.Convolution;
import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Operands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times of convolutions. */
class ConvolutionKernelsTest {
    private static long ps(RooflineKernelTime model, long m, long n, long k, long bytes) {
        return model.kernelPs(new Convolution(new Matmul("conv", 1, m, n, k, Operands.PATCHES), bytes));
    }

    /**
     * cuDNN 7.6 on V100, FP16, batch 16 (baidu-research/DeepBench, results/train/DeepBench_NV_V100.xlsx at da81ba78, role calibration): forward times of
     * 3x3 and 1x1 convolutions in us.
     */
    @ParameterizedTest
    @CsvSource({
        "112, 64, 128, 3, 355",
        "56, 128, 256, 3, 318",
        "28, 256, 512, 3, 310",
        "14, 512, 512, 3, 199",
        "112, 64, 64, 1, 71",
        "56, 64, 256, 1, 48",
        "28, 128, 512, 1, 37"
    })
    void forwardIsWithinAThirdOfTheTable(int side, int channels, int filters, int kernel, double us) {
        long positions = 16L * side * side;
        long patch = (long) kernel * kernel * channels;
        long bytes = 2 * (positions * (channels + filters) + patch * filters);
        double ours = ps(RooflineKernelTime.of(Gpus.V100), positions, filters, patch, bytes) / 1e6;
        assertThat(ours / us).isCloseTo(1, within(0.35));
    }

    /** A 3x3 convolution reads each element once from HBM, where a GEMM over its patches would read nine. */
    @Test
    void memoryFloorCountsTheTensorAndNotItsPatches() {
        RooflineKernelTime model = RooflineKernelTime.of(Gpus.A100_80GB);
        long positions = 256L * 56 * 56;
        long bytes = 2 * (positions * (64 + 8) + 9 * 64 * 8);
        long floor = Gpus.A100_80GB.memoryBandwidth().serializationPs(bytes);
        long asGemm = model.kernelPs(new Matmul("gemm", 1, positions, 8, 9 * 64));
        assertThat(ps(model, positions, 8, 9 * 64, bytes)).isBetween(floor, asGemm);
    }

    /** FP32 convolutions run in TF32 on Ampere, 8 x 0.92 the rate of GEMMs on the vector units. */
    @Test
    void singlePrecisionUsesTensorCoresOnAmpere() {
        RooflineKernelTime model =
                new RooflineKernelTime(Gpus.A100_80GB, GpuCalibration.of(Gpus.A100_80GB), Gpus.A100_80GB.smCount(), 4);
        long positions = 256L * 28 * 28;
        long bytes = 4 * (positions * (512 + 512) + 9 * 512 * 512);
        double ratio = (double) model.kernelPs(new Matmul("gemm", 1, positions, 512, 9 * 512))
                / ps(model, positions, 512, 9 * 512, bytes);
        assertThat(ratio).isBetween(3.5, 7.5);
    }
}
