package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * NCCL's constants on one GPU architecture. Arrays are indexed by {@link Protocol}.
 *
 * @param basePs from the moment a rank's stream reaches a collective to its first primitive [ps] -- calibration
 * @param nvLinkStepPs one step over NVLink, without its bytes [ps] -- calibration
 * @param rates rates of thread blocks -- calibration
 * @param channels channels inside a node -- specification
 * @param nvls NVLink SHARP; null if the switch cannot reduce
 * @param tuner NCCL's own estimates for this GPU -- specification
 */
record NcclGpu(
        long[] basePs,
        long[] nvLinkStepPs,
        Rates rates,
        int channels,
        @Nullable Nvls nvls,
        Tuner tuner) {

    /**
     * @param lanes maximum rate of one thread block
     * @param copyRatio share of the NVLink payload rate that all channels together reach when they copy [1]
     * @param allReduceCopyRatio the same in the second half of an all-reduce, which copies within one buffer [1]
     * @param reduceRatio the same when they reduce [1]
     * @param store rate of a thread block that stores a chunk and sends nothing
     */
    record Rates(Bandwidth[] lanes, double copyRatio, double allReduceCopyRatio, double reduceRatio, Bandwidth store) {}

    /**
     * All-reduce reduced by the NVSwitch.
     *
     * @param channels thread blocks -- specification
     * @param chunkBytes maximum bytes of one head's share per channel and round [bytes] -- specification
     * @param stepPs from the last member's offer to the sum, and from the sum to the last member, without the copies [ps] -- calibration
     * @param ratio share of the NVLink payload rate that all channels together reach [1] -- calibration
     */
    record Nvls(int channels, long chunkBytes, long stepPs, double ratio) {}

    /**
     * Estimates of NCCL's tuner; rates are in bytes per microsecond.
     *
     * @param nvLinkRate rate of all NVLinks of a GPU
     * @param searched rates for which NCCL searches rings and trees
     * @param llRateMax maximum rate of all rings together with LL
     * @param plateau factor on the latency of a Simple all-reduce ring over several nodes [1]
     */
    record Tuner(double nvLinkRate, Searched searched, Ring ring, Tree tree, double llRateMax, double plateau) {

        /** Returns the highest of some rates that does not exceed a limit, or else the lowest. */
        static double atMost(double limit, double[] rates) {
            return Arrays.stream(rates)
                    .filter(rate -> rate <= limit)
                    .findFirst()
                    .orElse(rates[rates.length - 1]);
        }
    }

    /** Rates inside a node and between nodes, highest first. */
    record Searched(double[] inNode, double[] betweenNodes) {}

    /**
     * @param count rings inside a node, before they are duplicated
     * @param rate rate of one of them
     * @param doubledCount maximum number of fast rings between nodes that NCCL duplicates
     * @param ll128RateMax maximum rate of one ring with LL128
     */
    record Ring(int count, double rate, int doubledCount, double ll128RateMax) {}

    /**
     * Arrays are for one, two and more nodes.
     *
     * @param rateMax maximum rate of one tree
     * @param ll128RateMax maximum rate of one tree with LL128
     */
    record Tree(double[] rateMax, double[] ll128RateMax) {}

    /** Returns the constants in the file named like the GPU's architecture. */
    static NcclGpu of(GpuSpec gpu) {
        return of(NcclCatalog.GPUS.named(gpu.architecture()));
    }

    /** Creates constants from figures, for example of a fit. */
    static NcclGpu of(FigureFile file) {
        return new NcclGpu(
                timesPs(file, "base"),
                timesPs(file, "nvlink_step"),
                new Rates(
                        Stream.of(Protocol.values())
                                .map(protocol -> rate(file, "lane_" + protocol.key()))
                                .toArray(Bandwidth[]::new),
                        file.decimal("nvlink_copy_ratio"),
                        file.decimal("nvlink_all_reduce_copy_ratio"),
                        file.decimal("nvlink_reduce_ratio"),
                        rate(file, "store")),
                file.count("channels"),
                file.has("nvls_channels")
                        ? new Nvls(
                                file.count("nvls_channels"),
                                file.whole("nvls_chunk"),
                                file.whole("nvls_step"),
                                file.decimal("nvls_ratio"))
                        : null,
                tuner(file));
    }

    private static Tuner tuner(FigureFile file) {
        return new Tuner(
                perMicrosecond(file, "tuner_nvlink_rate"),
                new Searched(
                        listPerMicrosecond(file, "tuner_rates_in_node"),
                        listPerMicrosecond(file, "tuner_rates_between_nodes")),
                new Ring(
                        file.count("tuner_rings"),
                        perMicrosecond(file, "tuner_ring_rate"),
                        file.count("tuner_rings_doubled"),
                        perMicrosecond(file, "tuner_ll128_ring_rate_max")),
                new Tree(
                        listPerMicrosecond(file, "tuner_tree_rate_max"),
                        listPerMicrosecond(file, "tuner_ll128_tree_rate_max")),
                perMicrosecond(file, "tuner_ll_rate_max"),
                file.decimal("tuner_plateau"));
    }

    /** Returns one time per protocol, in the order of {@link Protocol}. */
    private static long[] timesPs(FigureFile file, String prefix) {
        return Stream.of(Protocol.values())
                .mapToLong(protocol -> file.whole(prefix + "_" + protocol.key()))
                .toArray();
    }

    private static Bandwidth rate(FigureFile file, String key) {
        return new Bandwidth(file.whole(key));
    }

    /** Returns a rate in bytes per microsecond; NCCL's own tables are in GB/s. */
    private static double perMicrosecond(FigureFile file, String key) {
        return file.whole(key) / 1e6;
    }

    private static double[] listPerMicrosecond(FigureFile file, String key) {
        List<Long> rates = file.list(key);
        return rates.stream().mapToDouble(rate -> rate / 1e6).toArray();
    }
}
