package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.Constants;
import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * NCCL on one GPU architecture. Arrays go by {@link Protocol}.
 *
 * @param basePs from a rank's stream reaching a collective to its first primitive [ps] -- calibration
 * @param nvLinkStepPs one step over NVLink beside its bytes [ps] -- calibration
 * @param laneRates what one thread block can move at most -- calibration
 * @param copyRatio share of the NVLink payload rate that all channels together make when they copy [1] -- calibration
 * @param allReduceCopyRatio the same in the second half of an all-reduce, which copies within one buffer [1] -- calibration
 * @param reduceRatio the same when they reduce [1] -- calibration
 * @param storeRate a thread block that stores a chunk and sends nothing -- calibration
 * @param channels channels inside a node -- specification
 * @param nvls NVLink SHARP, or null where the switch cannot add up
 * @param tuner what NCCL believes of this GPU -- specification
 */
record NcclGpu(
        long[] basePs,
        long[] nvLinkStepPs,
        Bandwidth[] laneRates,
        double copyRatio,
        double allReduceCopyRatio,
        double reduceRatio,
        Bandwidth storeRate,
        int channels,
        @Nullable Nvls nvls,
        Tuner tuner) {

    /** A file for each architecture and one for each family of instances. */
    static final ResourceDirectory FILES = Constants.directory(NcclGpu.class);

    /**
     * All-reduces whose sums the NVSwitch makes.
     *
     * @param channels thread blocks -- specification
     * @param chunkBytes largest piece of one head's part that a channel moves in one round [bytes] -- specification
     * @param stepPs from the last member's offer to the sum, and from the sum to the last member, beside the copies [ps] -- calibration
     * @param ratio share of the NVLink payload rate that all channels together make [1] -- calibration
     */
    record Nvls(int channels, long chunkBytes, long stepPs, double ratio) {}

    /**
     * Rates in bytes per microsecond; the arrays are for one, two and more nodes.
     *
     * @param nvLinkRate all NVLinks of a GPU
     * @param ratesInNode rates at which NCCL looks for rings and trees inside a node, the highest first
     * @param ratesBetweenNodes the same between nodes
     * @param rings rings inside a node before they are used twice
     * @param ringRate rate of one of them
     * @param llRateMax all rings together with LL
     * @param ll128RingRateMax one ring with LL128
     * @param treeRateMax one tree
     * @param ll128TreeRateMax one tree with LL128
     * @param plateau what NCCL multiplies the latency of a Simple all-reduce ring over several nodes with [1]
     */
    record Tuner(
            double nvLinkRate,
            double[] ratesInNode,
            double[] ratesBetweenNodes,
            int rings,
            double ringRate,
            double llRateMax,
            double ll128RingRateMax,
            double[] treeRateMax,
            double[] ll128TreeRateMax,
            double plateau) {

        /** The highest of some rates that does not exceed a limit, or the lowest. */
        static double atMost(double limit, double[] rates) {
            return Arrays.stream(rates)
                    .filter(rate -> rate <= limit)
                    .findFirst()
                    .orElse(rates[rates.length - 1]);
        }
    }

    /** The constants in the file named like the GPU's architecture. */
    static NcclGpu of(GpuSpec gpu) {
        Constants constants = Constants.find(FILES, gpu.architecture());
        if (constants == null) {
            throw new IllegalArgumentException("NCCL constants: no file " + gpu.architecture()
                    + ".properties; add one like ampere.properties, or name the architecture ampere, hopper or volta");
        }
        return of(constants);
    }

    /** The same constants from keys and values, a fit's for instance. */
    static NcclGpu of(Constants constants) {
        return new NcclGpu(
                timesPs(constants, "base"),
                timesPs(constants, "nvlink-step"),
                Stream.of(Protocol.values())
                        .map(protocol -> constants.rate("lane." + protocol.key()))
                        .toArray(Bandwidth[]::new),
                constants.ratio("nvlink.copy-ratio"),
                constants.ratio("nvlink.all-reduce-copy-ratio"),
                constants.ratio("nvlink.reduce-ratio"),
                constants.rate("store"),
                constants.count("channels"),
                constants.has("nvls.channels")
                        ? new Nvls(
                                constants.count("nvls.channels"),
                                constants.bytes("nvls.chunk"),
                                constants.timePs("nvls.step"),
                                constants.ratio("nvls.ratio"))
                        : null,
                new Tuner(
                        perMicrosecond(constants, "tuner.nvlink-rate")[0],
                        perMicrosecond(constants, "tuner.rates-in-node"),
                        perMicrosecond(constants, "tuner.rates-between-nodes"),
                        constants.count("tuner.rings"),
                        perMicrosecond(constants, "tuner.ring-rate")[0],
                        perMicrosecond(constants, "tuner.ll-rate-max")[0],
                        perMicrosecond(constants, "tuner.ll128-ring-rate-max")[0],
                        perMicrosecond(constants, "tuner.tree-rate-max"),
                        perMicrosecond(constants, "tuner.ll128-tree-rate-max"),
                        constants.ratio("tuner.plateau")));
    }

    /** One time per protocol, in the order of {@link Protocol}. */
    private static long[] timesPs(Constants constants, String prefix) {
        return Stream.of(Protocol.values())
                .mapToLong(protocol -> constants.timePs(prefix + "." + protocol.key()))
                .toArray();
    }

    /** Rates in bytes per microsecond, the unit of NCCL's tuner. */
    private static double[] perMicrosecond(Constants constants, String key) {
        return constants.list(key).stream()
                .mapToDouble(text -> Bandwidth.parse(text).bytesPerSecond() / 1e6)
                .toArray();
    }
}
