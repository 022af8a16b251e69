package io.shardsim.simulator.compute;

import io.shardsim.simulator.Constants;
import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Fitted coefficients of a GPU family, read from {@code <name or architecture>.properties} beside this class. Each value
 * there carries its unit, source and date. A file may name another in {@code extends} and override some of its values.
 *
 * @param family name of the file it came from
 * @param matmulRate share of the tensor-core peak that a tile reaches with its operands at hand -- calibration
 * @param eightBitRatio rate of the tensor cores with operands of 8 bits over that with 16 [1]; 0 where they have none -- calibration
 * @param eightBitSplitSumsRatio the same where sums of products are added up in 32 bits every now and then [1] -- published
 * @param operandBytesPerSecond rate at which one SM takes operands from the L2 cache [bytes/s] -- calibration
 * @param misalignedRatio rate of products whose rows are no multiple of 16 bytes, relative to others [1] -- calibration
 * @param wavePs prologue of a wave of tiles, whatever their size [ps] -- calibration
 * @param epiloguePsPerElement writing a tile's results, for each element of the tile [ps] -- calibration
 * @param sustainedSlowdown extra time of products at the sustained clock, as a share [1] -- calibration
 * @param clockSettlingPs time in which the clock of a loaded GPU settles [ps] -- specification
 * @param matmulFixedPs launch and drain of a matrix product [ps] -- calibration
 * @param matmulHbmRatio share of the HBM data-sheet rate in a matrix product limited by it [1] -- calibration
 * @param splitFixedPs extra launch of a product split along k [ps] -- calibration
 * @param splitBytesPerSecond rate at which partial results are written and read [bytes/s] -- calibration
 * @param kernelFixedPs launch and drain of any other kernel [ps] -- calibration
 * @param elementwiseHbmRatio share of the HBM data-sheet rate in element-wise kernels [1] -- calibration
 * @param flashForwardRate share of the peak in fused attention forward, heads of 128 and wider [1] -- calibration
 * @param flashBackwardRate the same, backward [1] -- calibration
 * @param flashNarrowHeadRatio rate of heads narrower than 128 relative to it [1] -- calibration
 * @param tensorRateSpread standard deviation of the rate of tensor cores among GPUs of one kind, relative to its mean [1] -- published
 * @param tiles tiles that the matrix library offers
 * @param splits parts that it may cut k into
 * @param range where the coefficients were fitted
 */
public record GpuCalibration(
        String family,
        double matmulRate,
        double eightBitRatio,
        double eightBitSplitSumsRatio,
        double operandBytesPerSecond,
        double misalignedRatio,
        double wavePs,
        double epiloguePsPerElement,
        double sustainedSlowdown,
        double clockSettlingPs,
        double matmulFixedPs,
        double matmulHbmRatio,
        double splitFixedPs,
        double splitBytesPerSecond,
        long kernelFixedPs,
        double elementwiseHbmRatio,
        double flashForwardRate,
        double flashBackwardRate,
        double flashNarrowHeadRatio,
        double tensorRateSpread,
        List<Tile> tiles,
        int[] splits,
        Range range) {
    private static final ResourceDirectory FILES = Constants.directory(GpuCalibration.class);

    /**
     * Rows and columns of the result that one thread block computes.
     *
     * @param rows along m
     * @param columns along n
     */
    public record Tile(int rows, int columns) {}

    /**
     * Where the coefficients were fitted.
     *
     * @param tokensLeast fewest tokens of a micro-batch
     * @param tokensMost most tokens of a micro-batch
     * @param hiddenLeast narrowest hidden width
     * @param hiddenMost widest hidden width
     * @param remark what a reader must know before trusting the figures; empty where there is nothing
     */
    public record Range(long tokensLeast, long tokensMost, long hiddenLeast, long hiddenMost, String remark) {}

    /** The calibration named like the GPU, else the one named like its architecture. */
    public static GpuCalibration of(GpuSpec gpu) {
        return named(Constants.find(FILES, gpu.name()) != null ? gpu.name() : gpu.architecture());
    }

    /** The calibration in the file of that name. */
    public static GpuCalibration named(String family) {
        return of(family, constants(family));
    }

    /** The keys and values of the file of that name, those of the file that it extends included. */
    public static Properties properties(String family) {
        return constants(family).toProperties();
    }

    private static Constants constants(String family) {
        Constants constants = Constants.find(FILES, family);
        if (constants == null) {
            throw new IllegalArgumentException("no kernel-time calibration named " + family + "; add " + family
                    + ".properties beside ampere.properties, or choose ampere, hopper or volta");
        }
        return constants;
    }

    /** The same GPU running the matrix and attention kernels that a framework ships. */
    public GpuCalibration under(FrameworkProfile profile, String architecture) {
        double flashRatio = profile.flashRateRatio(architecture);
        return atRates(
                profile.matmulRateRatio(architecture),
                flashRatio,
                profile.flashNarrowRateRatio(architecture) / flashRatio);
    }

    /** The slowest of so many such GPUs, for which the others wait wherever they exchange something. */
    public GpuCalibration slowestOf(int gpus) {
        double ratio = SlowestGpu.rate(gpus, tensorRateSpread);
        return atRates(ratio, ratio, 1);
    }

    /** What the L2 cache gives so many SMs together. */
    public Bandwidth cacheRate(int sms) {
        return new Bandwidth((long) operandBytesPerSecond * sms);
    }

    private GpuCalibration atRates(double matmulRatio, double flashRatio, double narrowRatio) {
        return new GpuCalibration(
                family,
                matmulRate * matmulRatio,
                eightBitRatio,
                eightBitSplitSumsRatio,
                operandBytesPerSecond * matmulRatio,
                misalignedRatio,
                wavePs,
                epiloguePsPerElement,
                sustainedSlowdown,
                clockSettlingPs,
                matmulFixedPs,
                matmulHbmRatio,
                splitFixedPs,
                splitBytesPerSecond,
                kernelFixedPs,
                elementwiseHbmRatio,
                flashForwardRate * flashRatio,
                flashBackwardRate * flashRatio,
                flashNarrowHeadRatio * narrowRatio,
                tensorRateSpread,
                tiles,
                splits,
                range);
    }

    /** A calibration from keys and values, a reader's own file for instance. */
    public static GpuCalibration parse(String family, Properties properties) {
        return of(family, new Constants(family, properties));
    }

    private static GpuCalibration of(String family, Constants constants) {
        return new GpuCalibration(
                family,
                constants.positive("matmul.rate"),
                eightBit(constants, "matmul.eight-bit-ratio"),
                eightBit(constants, "matmul.eight-bit-split-sums-ratio"),
                constants.positive("matmul.operand-bytes-per-second"),
                constants.positive("matmul.misaligned-ratio"),
                constants.positive("matmul.wave-ps"),
                constants.positive("matmul.epilogue-ps-per-element"),
                constants.positive("matmul.sustained-slowdown"),
                constants.positive("matmul.clock-settling-ps"),
                constants.positive("matmul.fixed-ps"),
                constants.positive("matmul.hbm-ratio"),
                constants.positive("matmul.split-fixed-ps"),
                constants.positive("matmul.split-bytes-per-second"),
                (long) constants.positive("kernel.fixed-ps"),
                constants.positive("elementwise.hbm-ratio"),
                constants.positive("flash.forward-rate"),
                constants.positive("flash.backward-rate"),
                constants.positive("flash.narrow-head-ratio"),
                constants.positive("tensor-rate.spread"),
                tiles(constants.text("matmul.tiles")),
                integers(constants.text("matmul.splits")),
                range(constants));
    }

    private static double eightBit(Constants constants, String key) {
        return constants.has(key) ? constants.positive(key) : 0;
    }

    /** Whether its tensor cores multiply numbers of 8 bits. */
    public boolean multipliesEightBits() {
        return eightBitRatio > 0;
    }

    private static Range range(Constants constants) {
        String[] tokens = constants.text("calibrated-tokens").split("\\.\\.");
        String[] hidden = constants.text("calibrated-hidden").split("\\.\\.");
        return new Range(
                Long.parseLong(tokens[0]),
                Long.parseLong(tokens[1]),
                Long.parseLong(hidden[0]),
                Long.parseLong(hidden[1]),
                constants.has("remarks") ? constants.text("remarks") : "");
    }

    private static List<Tile> tiles(String text) {
        List<Tile> tiles = new ArrayList<>();
        for (String tile : text.split("[ ,]+")) {
            String[] sides = tile.split("x");
            tiles.add(new Tile(Integer.parseInt(sides[0]), Integer.parseInt(sides[1])));
        }
        return List.copyOf(tiles);
    }

    private static int[] integers(String text) {
        String[] parts = text.split("[ ,]+");
        int[] values = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            values[i] = Integer.parseInt(parts[i]);
        }
        return values;
    }
}
