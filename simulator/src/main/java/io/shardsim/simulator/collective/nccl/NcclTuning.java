package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.NvlsAllReduce;
import io.shardsim.simulator.collective.nccl.NcclGpu.Tuner;

/**
 * NCCL's own time estimate of a collective before it runs: latency + bytes / rate, for ring, tree and NVLink SHARP and each protocol [1]. The lowest
 * estimate wins. It only selects algorithm and protocol; the simulation determines the time.
 *
 * <p>Leaves out CollNet and PAT, NVLink SHARP for collectives other than all-reduce, where it never wins, and several collectives fused into one
 * launch.
 *
 * <p>[1] NCCL 2.27.3, src/graph/tuning.cc (ncclTopoTuneModel, ncclTopoGetAlgoTime).
 */
final class NcclTuning {
    // Latencies [us] by protocol LL, LL128, Simple: [1], baseLat and hwLat.
    private static final double[] BASE_TREE = {6.8, 14.0, 8.4};
    private static final double[] BASE_RING = {6.6, 14.0, 8.4};
    private static final double[] NVLINK_TREE = {0.6, 1.25, 4.0};
    private static final double[] NVLINK_RING = {0.6, 1.9, 3.4};
    private static final double[] NETWORK_TREE = {5.0, 8.5, 14.0};
    private static final double[] NETWORK_RING = {2.7, 4.0, 14.0};
    private static final double NVLINK_NVLS = 25;
    private static final double NETWORK_NVLS_TREE = 14;

    /** Factor by which a tree stays below its rate, by protocol and size from 64 B in powers of two: [1], treeCorrectionFactor. */
    private static final double[][] TREE_CORRECTION = {
        {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
        {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
        {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}
    };

    private final NcclGpu gpu;
    private final NcclNetwork network;
    private final Rings rings;

    NcclTuning(NcclGpu gpu, NcclNetwork network, Rings rings) {
        this.gpu = gpu;
        this.network = network;
        this.rings = rings;
    }

    /** Returns the estimate for a ring [us]. */
    double ringUs(CollectiveKind kind, Protocol protocol, long totalBytes) {
        return ringLatencyUs(kind, protocol, totalBytes) + totalBytes / (ringRate(protocol) * rateRatio(kind));
    }

    /** Returns the estimate for a tree, all-reduce only [us]. */
    double treeUs(Protocol protocol, long totalBytes) {
        int p = protocol.ordinal();
        double latency = BASE_TREE[p]
                + 2
                        * ((rings.ranks() / rings.nodes() - 1) * NVLINK_TREE[p]
                                + log2(rings.nodes()) * (NETWORK_TREE[p] + reportedLatencyUs(protocol)));
        return latency + totalBytes / (treeRate(protocol) * 0.5 * treeCorrection(protocol, totalBytes));
    }

    /** Returns the estimate for an NVLink SHARP all-reduce, with a tree between nodes if there are several [us]. */
    double nvlsUs(long totalBytes) {
        int nodes = rings.nodes();
        double networkUs = nodes == 1 ? 0 : NETWORK_NVLS_TREE + reportedLatencyUs(Protocol.SIMPLE);
        double latency = NVLINK_NVLS + 2 * log2(nodes) * networkUs;
        return latency + totalBytes / (nvlsRate() * 5.0 / 6.0);
    }

    /**
     * Returns the bus rate of all heads [bytes/us]. A head's link carries its own share twice and the others' once (src/graph/search.cc,
     * ncclTopoSearchTryNvls). NCCL assumes that a tree over more than two nodes reaches half the rate of its NICs.
     */
    private double nvlsRate() {
        int heads = NvlsAllReduce.heads(rings.ranks() / rings.nodes());
        double limit = gpu.tuner().nvLinkRate() / (heads + 1);
        if (rings.nodes() == 1) {
            return heads * Tuner.atMost(limit, gpu.tuner().searched().inNode());
        }
        double perHead = rings.count() * rings.rate() / heads;
        double each =
                Tuner.atMost(Math.min(limit, perHead), gpu.tuner().searched().betweenNodes());
        return heads * (rings.nodes() == 2 ? each : each / 2);
    }

    private double ringLatencyUs(CollectiveKind kind, Protocol protocol, long totalBytes) {
        int p = protocol.ordinal();
        int nodes = rings.nodes();
        if (kind == CollectiveKind.BROADCAST || kind == CollectiveKind.BROADCAST_FROM_LAST) {
            return BASE_RING[p] + (nodes > 1 ? NETWORK_RING[p] : NVLINK_RING[p]);
        }
        int rounds = kind == CollectiveKind.ALL_REDUCE ? 2 : 1;
        int networkSteps = rounds * (nodes - 1);
        int nvLinkSteps = rounds * (rings.ranks() - 1) - networkSteps;
        double nvLinkUs = NVLINK_RING[p];
        if (nodes > 1) {
            double postingUs = network.host().postingUs() * (protocol == Protocol.SIMPLE ? 3 : 1);
            nvLinkUs = Math.max(nvLinkUs, postingUs);
        }
        double[] networkUs = rings.ranks() == nodes ? NETWORK_TREE : NETWORK_RING;
        double latency =
                BASE_RING[p] + nvLinkSteps * nvLinkUs + networkSteps * (networkUs[p] + reportedLatencyUs(protocol));
        boolean plateau = kind == CollectiveKind.ALL_REDUCE
                && protocol == Protocol.SIMPLE
                && nodes > 1
                && totalBytes / ((long) rings.channels() * rings.ranks()) >= 64;
        return plateau ? latency * gpu.tuner().plateau() : latency;
    }

    /** Returns the plugin's latency; Simple counts it twice, for the flush. */
    private double reportedLatencyUs(Protocol protocol) {
        if (rings.nodes() == 1) {
            return 0;
        }
        return network.reportedLatencyUs() * (protocol == Protocol.SIMPLE ? 2 : 1);
    }

    /** Returns the bus rate of all rings [bytes/us]. */
    private double ringRate(Protocol protocol) {
        double rate = rings.count() * rings.rate();
        return switch (protocol) {
            case LL -> Math.min(llRateMax(), rate * 0.5);
            case LL128 ->
                Math.min(rate * 0.92, rings.count() * gpu.tuner().ring().ll128RateMax());
            case SIMPLE -> rate;
        };
    }

    private double llRateMax() {
        return rings.nodes() == 1 ? gpu.tuner().llRateMax() : network.host().llRateMax(rings.nodes());
    }

    /** Returns the bus rate of all trees [bytes/us]. */
    private double treeRate(Protocol protocol) {
        int at = Math.min(rings.nodes(), 3) - 1;
        double each = rings.nodes() == 2 ? treeRateInNode() : rings.rate();
        double rate = Math.min(
                rings.count() * each * 0.92, rings.count() * gpu.tuner().tree().rateMax()[at]);
        double share = rings.nodes() == 1 ? 7.0 / 9.0 : 120.0 / 128.0;
        return switch (protocol) {
            case LL -> Math.min(rate / 3.8, llRateMax());
            case LL128 ->
                Math.min(rate * share, rings.count() * gpu.tuner().tree().ll128RateMax()[at]);
            case SIMPLE -> rate;
        };
    }

    /**
     * Returns the rate inside a node of a tree over two nodes, which NCCL's estimate uses: NCCL raises it as far as the NVLinks allow, until it is
     * twice the network's (src/graph/search.cc, ncclTopoCompute, second pass).
     */
    private double treeRateInNode() {
        double[] rates = gpu.tuner().searched().betweenNodes();
        double each = rings.rate();
        for (int i = rates.length - 1; i >= 0; i--) {
            boolean higher = rates[i] > each && each < 2 * rings.rate();
            if (higher && rates[i] <= rings.nvLinkRate()) {
                each = rates[i];
            }
        }
        return each;
    }

    /** Returns algorithm rate over bus rate of a ring. */
    private double rateRatio(CollectiveKind kind) {
        double ranks = rings.ranks();
        return switch (kind) {
            case ALL_REDUCE -> ranks / (2 * (ranks - 1));
            case BROADCAST, BROADCAST_FROM_LAST -> 1;
            default -> ranks / (ranks - 1);
        };
    }

    private static double treeCorrection(Protocol protocol, long totalBytes) {
        if (totalBytes < 64) {
            return 1;
        }
        int at = log2(totalBytes / 64);
        double[] corrections = TREE_CORRECTION[protocol.ordinal()];
        return at < corrections.length ? corrections[at] : 1;
    }

    /** Returns the binary logarithm, rounded down. */
    static int log2(long value) {
        return 63 - Long.numberOfLeadingZeros(value);
    }
}
