package io.shardsim.simulator.compute;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;

/**
 * Fitted coefficients of a GPU family, read from {@code catalog/compute/<name or architecture>.yaml}, where each value has its unit, source and date.
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
        Range range) {
    /** The families; a file named like a GPU goes before that of its architecture. */
    public static final FigureFolder FAMILIES =
            new FigureFolder("catalog/compute", "kernel-time calibration", CalibrationKeys.ALL);

    /**
     * Matrix products.
     *
     * @param rate share of the tensor-core peak that a tile reaches with its operands at hand -- calibration
     * @param operandBytesPerSecond rate at which one SM takes operands from the L2 cache [bytes/s] -- calibration
     * @param misalignedRatio rate of products whose rows are no multiple of 16 bytes, relative to others [1] -- calibration
     * @param fixedPs launch and drain [ps] -- calibration
     * @param hbmRatio share of the HBM data-sheet rate in a product limited by it [1] -- calibration
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
     * FP8 operands; both are 0 where tensor cores do not multiply them.
     *
     * @param ratio rate of the tensor cores over that with 16 bits [1] -- calibration
     * @param splitSumsRatio the same where partial sums are promoted to FP32 now and then [1] -- published
     */
    public record EightBits(double ratio, double splitSumsRatio) {}

    /**
     * A wave of tiles.
     *
     * @param ps prologue, whatever the tiles' size [ps] -- calibration
     * @param epiloguePsPerElement writing a tile's results, for each element of the tile [ps] -- calibration
     * @param tiles tiles that the matrix library offers
     */
    public record Wave(double ps, double epiloguePsPerElement, List<Tile> tiles) {}

    /**
     * A product cut along k.
     *
     * @param fixedPs extra launch [ps] -- calibration
     * @param bytesPerSecond rate at which partial results are written and read [bytes/s] -- calibration
     * @param parts parts that the library may cut k into
     */
    public record Split(double fixedPs, double bytesPerSecond, int[] parts) {}

    /**
     * The clock of a loaded GPU.
     *
     * @param sustainedSlowdown extra time of products at the sustained clock, as a share [1] -- calibration
     * @param settlingPs time in which it settles [ps] -- specification
     */
    public record Clock(double sustainedSlowdown, double settlingPs) {}

    /**
     * Kernels that memory limits.
     *
     * @param fixedPs launch and drain [ps] -- calibration
     * @param hbmRatio share of the HBM data-sheet rate [1] -- calibration
     */
    public record MemoryBound(long fixedPs, double hbmRatio) {}

    /**
     * Fused attention.
     *
     * @param forwardRate share of the peak, heads of 128 and wider [1] -- calibration
     * @param backwardRate the same, backward [1] -- calibration
     * @param narrowHeadRatio rate of heads narrower than 128 relative to it [1] -- calibration
     */
    public record Flash(double forwardRate, double backwardRate, double narrowHeadRatio) {}

    /**
     * Rows and columns of the result that one thread block computes.
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
     * Where the coefficients were fitted.
     *
     * @param tokensLeast fewest tokens of a micro-batch
     * @param tokensMost most tokens of a micro-batch
     * @param hiddenLeast narrowest hidden width
     * @param hiddenMost widest hidden width
     * @param remark what a reader must know before trusting the figures; empty where there is nothing
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

    /** The calibration named like the GPU, else the one named like its architecture. */
    public static GpuCalibration of(GpuSpec gpu) {
        FigureFile own = FAMILIES.find(gpu.name());
        return own == null ? named(gpu.architecture()) : of(own);
    }

    /** The calibration in the file of that name. */
    public static GpuCalibration named(String family) {
        return of(FAMILIES.named(family));
    }

    /** A calibration from figures, a fit's for instance. */
    public static GpuCalibration of(FigureFile file) {
        return new GpuCalibration(
                file.name(),
                matmul(file),
                new Clock(file.decimal("matmul_sustained_slowdown"), file.decimal("matmul_clock_settling")),
                new MemoryBound(file.whole("kernel_fixed"), file.decimal("elementwise_hbm_ratio")),
                new Flash(
                        file.decimal("flash_forward_rate"),
                        file.decimal("flash_backward_rate"),
                        file.decimal("flash_narrow_head_ratio")),
                file.decimal("tensor_rate_spread"),
                Range.of(file));
    }

    private static Matmul matmul(FigureFile file) {
        List<String> tiles = file.list("matmul_tiles");
        List<Long> splits = file.list("matmul_splits");
        return new Matmul(
                file.decimal("matmul_rate"),
                new EightBits(
                        eightBit(file, "matmul_eight_bit_ratio"), eightBit(file, "matmul_eight_bit_split_sums_ratio")),
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

    private static double eightBit(FigureFile file, String key) {
        return file.has(key) ? file.decimal(key) : 0;
    }

    /** The same GPU running the matrix and attention kernels that a framework ships. */
    public GpuCalibration under(FrameworkProfile profile, String architecture) {
        double flashRatio = profile.flashRateRatio(architecture);
        double eightBits = profile.eightBitRatio(architecture);
        return atRates(
                profile.matmulRateRatio(architecture),
                eightBits == 0 ? matmul.eightBits : new EightBits(eightBits, eightBits),
                flashRatio,
                profile.flashNarrowRateRatio(architecture) / flashRatio);
    }

    /** The slowest of so many such GPUs, for which the others wait wherever they exchange something. */
    public GpuCalibration slowestOf(int gpus) {
        double ratio = SlowestGpu.rate(gpus, tensorRateSpread);
        return atRates(ratio, matmul.eightBits, ratio, 1);
    }

    /** What the L2 cache gives so many SMs together. */
    public Bandwidth cacheRate(int sms) {
        return new Bandwidth(((long) matmul.operandBytesPerSecond) * sms);
    }

    /** Whether its tensor cores multiply numbers of 8 bits. */
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
                        flash.narrowHeadRatio * narrowRatio),
                tensorRateSpread,
                range);
    }
}
