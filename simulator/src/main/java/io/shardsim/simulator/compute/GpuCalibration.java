package io.shardsim.simulator.compute;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;

/**
 * Fitted coefficients of a GPU family, from {@code catalog/compute/<name or architecture>.yaml}, where each value has its unit, source and date.
 *
 * @param family name of the file it came from
 * @param tensorRateSpread standard deviation of the rate of tensor cores among GPUs of one kind, relative to its mean [1] -- published
 * @param range where the coefficients were fitted
 */
public record GpuCalibration(
        String family,
        Matmul matmul,
        Clock clock,
        MemoryBound memoryBound,
        Flash flash,
        double tensorRateSpread,
        Convolution convolution,
        Range range) {
    /** Families; a file named after the GPU takes precedence over its architecture's. */
    public static final FigureFolder FAMILIES =
            new FigureFolder("catalog/compute", "kernel-time calibration", CalibrationKeys.ALL);

    /**
     * GEMMs.
     *
     * @param rate share of the tensor-core peak that a tile reaches with its operands in shared memory -- calibration
     * @param operandBytesPerSecond rate at which one SM reads operands from the L2 cache [bytes/s] -- calibration
     * @param misalignedRatio rate of GEMMs whose rows are not a multiple of 16 bytes, relative to others [1] -- calibration
     * @param fixedPs launch and drain [ps] -- calibration
     * @param hbmRatio share of the HBM data-sheet rate in a memory-bound GEMM [1] -- calibration
     */
    public record Matmul(
            double rate,
            EightBits eightBits,
            double operandBytesPerSecond,
            double misalignedRatio,
            Wave wave,
            double fixedPs,
            double hbmRatio,
            Split split) {}

    /**
     * FP8 operands; both are 0 for tensor cores without FP8.
     *
     * @param ratio tensor-core rate relative to 16 bits [1] -- calibration
     * @param splitSumsRatio tensor-core rate relative to 16 bits if partial sums are periodically promoted to FP32 [1] -- published
     */
    public record EightBits(double ratio, double splitSumsRatio) {}

    /**
     * Wave of tiles.
     *
     * @param ps prologue, independent of tile size [ps] -- calibration
     * @param epiloguePsPerElement time to write a tile's results, per element of the tile [ps] -- calibration
     * @param tiles tiles of the GEMM library
     */
    public record Wave(double ps, double epiloguePsPerElement, List<Tile> tiles) {}

    /**
     * Split-K GEMM.
     *
     * @param fixedPs extra launch [ps] -- calibration
     * @param bytesPerSecond rate at which partial results are written and read [bytes/s] -- calibration
     * @param parts split factors of the library
     */
    public record Split(double fixedPs, double bytesPerSecond, int[] parts) {}

    /**
     * Clock of a loaded GPU.
     *
     * @param sustainedSlowdown extra time of GEMMs at the sustained clock, as a share [1] -- calibration
     * @param settlingPs time until the clock settles [ps] -- specification
     */
    public record Clock(double sustainedSlowdown, double settlingPs) {}

    /**
     * Memory-bound kernels.
     *
     * @param fixedPs launch and drain [ps] -- calibration
     * @param hbmRatio share of the HBM data-sheet rate [1] -- calibration
     */
    public record MemoryBound(long fixedPs, double hbmRatio) {}

    /**
     * Fused attention.
     *
     * @param forwardRate share of the peak, heads of 128 and wider [1] -- calibration
     * @param backwardRate share of the peak in backward, heads of 128 and wider [1] -- calibration
     * @param narrowHeadRatio rate with heads narrower than 128, relative to wider ones [1] -- calibration
     * @param blockKeys start and end of a block of queries, as the number of keys that take as long [1] -- calibration
     */
    public record Flash(double forwardRate, double backwardRate, double narrowHeadRatio, double blockKeys) {}

    /**
     * Convolutions as implicit GEMMs.
     *
     * @param halfRatio rate with 16-bit operands, relative to such GEMMs [1] -- calibration
     * @param singleRatio rate with FP32 tensors, relative to GEMMs on the vector units [1] -- calibration
     */
    public record Convolution(double halfRatio, double singleRatio) {
        double ratio(int elementBytes) {
            return elementBytes == 2 ? halfRatio : singleRatio;
        }
    }

    /**
     * Tile: rows and columns of the result that one thread block computes.
     *
     * @param rows along m
     * @param columns along n
     */
    public record Tile(int rows, int columns) {
        static Tile of(String text) {
            String[] sides = text.split("x");
            return new Tile(Integer.parseInt(sides[0]), Integer.parseInt(sides[1]));
        }
    }

    /**
     * Range in which the coefficients were fitted.
     *
     * @param tokensLeast fewest tokens of a micro-batch
     * @param tokensMost most tokens of a micro-batch
     * @param hiddenLeast narrowest hidden width
     * @param hiddenMost widest hidden width
     * @param remark caveat about the figures; empty if none
     */
    public record Range(long tokensLeast, long tokensMost, long hiddenLeast, long hiddenMost, String remark) {
        private static Range of(FigureFile file) {
            String[] tokens = file.word("calibrated_tokens").split("\\.\\.");
            String[] hidden = file.word("calibrated_hidden").split("\\.\\.");
            return new Range(
                    Long.parseLong(tokens[0]),
                    Long.parseLong(tokens[1]),
                    Long.parseLong(hidden[0]),
                    Long.parseLong(hidden[1]),
                    file.text("remark"));
        }
    }

    /** Returns the calibration named after the GPU, else the one named after its architecture. */
    public static GpuCalibration of(GpuSpec gpu) {
        FigureFile own = FAMILIES.find(gpu.name());
        return own == null ? named(gpu.architecture()) : of(own);
    }

    /** Returns the calibration in the file of that name. */
    public static GpuCalibration named(String family) {
        return of(FAMILIES.named(family));
    }

    /** Creates a calibration from figures, for example of a fit. */
    public static GpuCalibration of(FigureFile file) {
        return new GpuCalibration(
                file.name(),
                matmul(file),
                new Clock(file.decimal("matmul_sustained_slowdown"), file.decimal("matmul_clock_settling")),
                new MemoryBound(file.whole("kernel_fixed"), file.decimal("elementwise_hbm_ratio")),
                new Flash(
                        file.decimal("flash_forward_rate"),
                        file.decimal("flash_backward_rate"),
                        file.decimal("flash_narrow_head_ratio"),
                        optional(file, "flash_block_keys")),
                file.decimal("tensor_rate_spread"),
                new Convolution(file.decimal("convolution_ratio"), file.decimal("convolution_single_ratio")),
                Range.of(file));
    }

    private static Matmul matmul(FigureFile file) {
        List<String> tiles = file.list("matmul_tiles");
        List<Long> splits = file.list("matmul_splits");
        return new Matmul(
                file.decimal("matmul_rate"),
                new EightBits(
                        optional(file, "matmul_eight_bit_ratio"), optional(file, "matmul_eight_bit_split_sums_ratio")),
                file.decimal("matmul_operand_rate"),
                file.decimal("matmul_misaligned_ratio"),
                new Wave(
                        file.decimal("matmul_wave"),
                        file.decimal("matmul_epilogue"),
                        tiles.stream().map(Tile::of).toList()),
                file.decimal("matmul_fixed"),
                file.decimal("matmul_hbm_ratio"),
                new Split(
                        file.decimal("matmul_split_fixed"),
                        file.decimal("matmul_split_rate"),
                        splits.stream().mapToInt(Math::toIntExact).toArray()));
    }

    private static double optional(FigureFile file, String key) {
        return file.has(key) ? file.decimal(key) : 0;
    }

    /** Returns this calibration with the GEMM and attention kernels that a framework ships. */
    public GpuCalibration under(FrameworkProfile profile, String architecture) {
        double flashRatio = profile.flashRateRatio(family, architecture);
        double eightBits = profile.eightBitRatio(family, architecture);
        return atRates(
                profile.matmulRateRatio(family, architecture),
                eightBits == 0 ? matmul.eightBits : new EightBits(eightBits, eightBits),
                flashRatio,
                profile.flashNarrowRateRatio(family, architecture) / flashRatio);
    }

    long hostExpertKernelPs(FrameworkProfile profile, String architecture) {
        return profile.hostExpertKernelPs(family, architecture);
    }

    /** Returns the calibration of the slowest of several such GPUs, on which the others wait whenever they communicate. */
    public GpuCalibration slowestOf(int gpus) {
        double ratio = SlowestGpu.rate(gpus, tensorRateSpread);
        return atRates(ratio, matmul.eightBits, ratio, 1);
    }

    /** Returns the L2 bandwidth of several SMs together. */
    public Bandwidth cacheRate(int sms) {
        return new Bandwidth(((long) matmul.operandBytesPerSecond) * sms);
    }

    /** Returns whether the tensor cores support FP8. */
    public boolean multipliesEightBits() {
        return matmul.eightBits.ratio > 0;
    }

    private GpuCalibration atRates(double matmulRatio, EightBits eightBits, double flashRatio, double narrowRatio) {
        return new GpuCalibration(
                family,
                new Matmul(
                        matmul.rate * matmulRatio,
                        eightBits,
                        matmul.operandBytesPerSecond * matmulRatio,
                        matmul.misalignedRatio,
                        matmul.wave,
                        matmul.fixedPs,
                        matmul.hbmRatio,
                        matmul.split),
                clock,
                memoryBound,
                new Flash(
                        flash.forwardRate * flashRatio,
                        flash.backwardRate * flashRatio,
                        flash.narrowHeadRatio * narrowRatio,
                        flash.blockKeys),
                tensorRateSpread,
                convolution,
                range);
    }
}
