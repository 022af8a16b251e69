package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveAlgorithm.Pattern;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.NvlsAllReduce;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.NvLinks;
import io.shardsim.topology.Router;
import io.shardsim.topology.units.Bandwidth;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * NCCL's choices and their cost.
 *
 * <p>Algorithm and protocol are chosen by NCCL's tuner, or by the network plugin's if there is one; channels and chunks follow NCCL's rules (2.27.3,
 * src/enqueue.cc). A step takes the measured step latency, plus its chunk at the rate of a thread block.
 *
 * <p>Channels move in lock step, so the links are idle while they wait for flags. That is why a ring stays below the rate of its links, and why a
 * chunk is not cut into slices here. With whole chunks the same constants reproduce single nodes (median error 2 to 5 % from 1 MiB) and 32 nodes of
 * p5 (10 %); with NCCL's two slices they do not.
 *
 * <p>A measured step includes the latency of its links, so the transport has only the remainder.
 *
 * <p>Leaves out CollNet, PAT, and NCCL's smaller thread counts for small buffers.
 */
public final class NcclTransportModel implements TransportModel {
    /** Algorithms that NCCL chooses from; others run only if a scenario names them. */
    private static final Set<Pattern> OWN = EnumSet.of(Pattern.RING, Pattern.TREE, Pattern.DIRECT, Pattern.SWITCH);

    /** Payload of an LL step [bytes]: 512 threads x 8 lines x 8 B (src/init.cc, DEFAULT_LL_BUFFSIZE). */
    private static final long LL_CHUNK_BYTES = 32 << 10;
    /** Payload of an LL128 step [bytes]: 640 threads x 120 elements x 8 B x 15/16 (src/init.cc, DEFAULT_LL128_BUFFSIZE). */
    private static final long LL128_CHUNK_BYTES = 576_000;
    /** Steps of a channel's buffer (src/include/device.h, NCCL_STEPS). */
    private static final int BUFFER_STEPS = 8;
    /** Steps of a ring's chunk (src/include/collectives.h, for example ALLGATHER_CHUNKSTEPS). */
    private static final int RING_CHUNK_STEPS = BUFFER_STEPS / 2;
    /** Steps of a broadcast's chunk (src/include/collectives.h, BROADCAST_CHUNKSTEPS). */
    private static final int CHAIN_CHUNK_STEPS = 1;
    /**
     * Chunk of a send to a peer [bytes]: over NVLink P2P_NVL_CHUNKSIZE of src/init.cc; over EFA NCCL_P2P_NET_CHUNKSIZE as set by its plugin
     * (aws-ofi-nccl src/platform-aws.cpp at 2daf7d30).
     */
    private static final long PEER_CHUNK_BYTES = 512 << 10;
    /**
     * Channels of a hierarchical collective: those of its rings between nodes, with one GPU per node, through the one NIC next to that GPU. Inside a
     * node, another communicator uses all of its own channels; each channel here represents an equal number of them.
     */
    private static final int NODE_RING_CHANNELS = 2;
    /** Channels of a switch all-reduce that one simulated channel represents, so that large clusters take a quarter of the events. */
    private static final int SWITCH_CHANNELS_AS_ONE = 4;
    /** Maximum bytes to a peer that are sent with LL (src/enqueue.cc, NCCL_P2P_LL_THRESHOLD). */
    private static final long PEER_LL_BYTES_MAX = 16 << 10;

    private final List<CollectiveAlgorithm> algorithms;
    private final long chunkBytesMax;
    private final Function<GpuSpec, NcclGpu> constants;
    private final Map<String, NcclGpu> gpus = new ConcurrentHashMap<>();
    private final Map<InstanceSpec, NcclNetwork> networks = new ConcurrentHashMap<>();

    public NcclTransportModel(List<? extends CollectiveAlgorithm> algorithms) {
        this(algorithms, Long.MAX_VALUE);
    }

    /**
     * @param algorithms available algorithms
     * @param chunkBytesMax maximum chunk, in addition to NCCL's own limit [bytes]
     */
    public NcclTransportModel(List<? extends CollectiveAlgorithm> algorithms, long chunkBytesMax) {
        this(algorithms, chunkBytesMax, NcclGpu::of);
        if (chunkBytesMax < 16) {
            throw new IllegalArgumentException("chunk " + chunkBytesMax + " B < 16 B");
        }
    }

    /** Creates a model with other constants than the shipped ones. */
    NcclTransportModel(
            List<? extends CollectiveAlgorithm> algorithms, long chunkBytesMax, Function<GpuSpec, NcclGpu> constants) {
        this.algorithms = List.copyOf(algorithms);
        this.chunkBytesMax = chunkBytesMax;
        this.constants = constants;
    }

    @Override
    public Choice choose(CollectiveKind kind, String algorithm, long totalBytes, int[] members, Cluster cluster) {
        Choice best = find(kind, algorithm, totalBytes, members, cluster);
        if (best == null) {
            List<String> able = algorithms.stream()
                    .map(CollectiveAlgorithm::name)
                    .distinct()
                    .filter(name -> find(kind, name, totalBytes, members, cluster) != null)
                    .toList();
            throw new IllegalArgumentException("algorithm " + algorithm + " cannot carry "
                    + kind.name().toLowerCase(Locale.ROOT) + " over " + members.length + " ranks of " + cluster.nodes()
                    + " nodes; " + (able.isEmpty() ? "none can" : "these can: " + String.join(", ", able)));
        }
        return best;
    }

    private @Nullable Choice find(
            CollectiveKind kind, String algorithm, long totalBytes, int[] members, Cluster cluster) {
        NcclGpu gpu = gpu(cluster.instance().gpu());
        NcclNetwork network = networks.computeIfAbsent(cluster.instance(), NcclNetwork::of);
        Rings rings = Rings.of(members, cluster, gpu);
        NcclTuning tuning = new NcclTuning(gpu, network, rings);
        Choice best = null;
        double bestUs = Double.POSITIVE_INFINITY;
        Map<PluginTuner.Preference, Choice> able = new HashMap<>();
        for (CollectiveAlgorithm candidate : algorithms) {
            if (!isMeant(candidate, algorithm, kind)) {
                continue;
            }
            for (Protocol protocol : network.protocols()) {
                if (candidate.pattern() == Pattern.SWITCH
                        && (gpu.nvls() == null || protocol != Protocol.SIMPLE || !hasSwitch(cluster))) {
                    continue;
                }
                Transport transport =
                        transport(gpu, network, rings, kind, candidate.pattern(), protocol, totalBytes, cluster);
                if (!candidate.supports(new CollectiveRequest(kind, totalBytes, members, cluster, transport))) {
                    continue;
                }
                Choice choice = new Choice(candidate, transport);
                able.put(new PluginTuner.Preference(candidate.name(), protocol), choice);
                double estimateUs = estimateUs(tuning, candidate, kind, protocol, totalBytes, rings.ranks());
                if (estimateUs < bestUs) {
                    best = choice;
                    bestUs = estimateUs;
                }
            }
        }
        PluginTuner.Preference preferred = network.plugin().preference(kind, rings, totalBytes, able::containsKey);
        return preferred == null ? best : able.get(preferred);
    }

    private static boolean hasSwitch(Cluster cluster) {
        return cluster.instance().intraNode().links() == NvLinks.SWITCH;
    }

    private NcclGpu gpu(GpuSpec gpu) {
        return gpus.computeIfAbsent(gpu.architecture(), architecture -> constants.apply(gpu));
    }

    /**
     * Returns whether an algorithm is a candidate: the requested one or, for {@code auto}, one of NCCL's own. NCCL sends directly to peers only if
     * sends are requested.
     */
    private static boolean isMeant(CollectiveAlgorithm candidate, String algorithm, CollectiveKind kind) {
        if (!algorithm.equals("auto")) {
            return candidate.name().equals(algorithm);
        }
        return OWN.contains(candidate.pattern()) && (candidate.pattern() == Pattern.DIRECT) == isSends(kind);
    }

    /** Returns whether a collective consists of sends and receives. */
    private static boolean isSends(CollectiveKind kind) {
        return kind == CollectiveKind.ALL_TO_ALL || kind == CollectiveKind.SEND_RECV;
    }

    private static double estimateUs(
            NcclTuning tuning,
            CollectiveAlgorithm candidate,
            CollectiveKind kind,
            Protocol protocol,
            long totalBytes,
            int ranks) {
        if (isSends(kind)) {
            long messageBytes = kind == CollectiveKind.SEND_RECV ? totalBytes : totalBytes / ranks;
            Protocol own = messageBytes <= PEER_LL_BYTES_MAX ? Protocol.LL : Protocol.SIMPLE;
            return protocol == own ? 0 : Protocol.values().length - protocol.ordinal();
        }
        if (candidate.pattern() == Pattern.SWITCH) {
            return tuning.nvlsUs(totalBytes);
        }
        boolean tree = kind == CollectiveKind.ALL_REDUCE && candidate.pattern() == Pattern.TREE;
        return tree ? tuning.treeUs(protocol, totalBytes) : tuning.ringUs(kind, protocol, totalBytes);
    }

    private Transport transport(
            NcclGpu gpu,
            NcclNetwork network,
            Rings rings,
            CollectiveKind kind,
            Pattern pattern,
            Protocol protocol,
            long totalBytes,
            Cluster cluster) {
        if (pattern == Pattern.SWITCH) {
            return switchTransport(gpu, network, rings, totalBytes, cluster);
        }
        InstanceSpec instance = cluster.instance();
        int p = protocol.ordinal();
        boolean hierarchical = pattern == Pattern.HIERARCHICAL;
        long perChannel = protocol.bytesPerChannel(pattern == Pattern.RING, rings.ranks());
        int channelsMax = hierarchical ? NODE_RING_CHANNELS : rings.channels();
        int channels = (int) Math.max(1, Math.min(channelsMax, totalBytes / perChannel));
        Bandwidth nvLink = instance.intraNode().perGpuRate().scaled(rings.nvLinkShare());
        double share = 1 / (channels * protocol.wireRatio());
        Bandwidth lane = hierarchical ? nvLink : gpu.rates().lanes()[p];
        // All-to-all receives with other warps of the block while it sends, and is held up by memory alone. So are
        // channels that have links of their own: two
        // V100 with one link make 22.6 of its 25 GB/s (AR-v100-2gpu-*), where this store alone would take a fifth.
        boolean stores = pattern != Pattern.DIRECT && hasSwitch(cluster);
        Bandwidth store = stores ? gpu.rates().store() : instance.gpu().memoryBandwidth();
        double copyRatio = kind == CollectiveKind.ALL_REDUCE
                ? gpu.rates().allReduceCopyRatio()
                : gpu.rates().copyRatio();
        long chunkBytes =
                Math.min(chunkBytesMax, chunkBytes(kind, pattern, protocol, network, rings, channels, totalBytes));
        long partBytes = totalBytes / (isShared(kind, pattern) ? rings.ranks() : 1) / channels;
        return new Transport(
                protocol.id(),
                channels,
                chunkBytes,
                1,
                new Transport.Delays(
                        basePs(gpu, protocol, rings, cluster),
                        beyondNvLinkPs(gpu.nvLinkStepPs()[p], cluster),
                        beyondNetworkPs(
                                network.steps()
                                        .ps(
                                                isLongRing(kind, pattern, rings, cluster),
                                                protocol,
                                                Math.min(chunkBytes, partBytes)),
                                cluster)),
                new Transport.Rates(
                        slower(lane, nvLink.scaled(copyRatio * share)),
                        slower(lane, nvLink.scaled(gpu.rates().reduceRatio() * share)),
                        store),
                protocol.wireRatio(),
                hierarchical ? Math.max(1, gpu.channels() / channels) : 1);
    }

    /**
     * Returns the transport of a switch all-reduce. Copies into and out of the buffers that the switch reads lengthen a chunk's way without occupying
     * the warps that read sums: each takes as long as a thread block needs to store the chunk. Channels of one tree never differ, so one represents
     * several.
     */
    private Transport switchTransport(NcclGpu gpu, NcclNetwork network, Rings rings, long totalBytes, Cluster cluster) {
        NcclGpu.Nvls nvls = Objects.requireNonNull(gpu.nvls());
        int heads = NvlsAllReduce.heads(Math.max(1, rings.ranks() / rings.nodes()));
        long chunkBytes = heads * switchPieceBytes(nvls, heads, rings.nodes(), totalBytes);
        long partBytes = Math.min(chunkBytes, (totalBytes + nvls.channels() - 1) / nvls.channels());
        int channels = Math.max(1, nvls.channels() / SWITCH_CHANNELS_AS_ONE);
        Bandwidth rate = cluster.instance().intraNode().perGpuRate().scaled(nvls.ratio() / channels);
        return new Transport(
                Protocol.SIMPLE.id(),
                channels,
                Math.min(chunkBytesMax, SWITCH_CHANNELS_AS_ONE * chunkBytes),
                1,
                new Transport.Delays(
                        basePs(gpu, Protocol.SIMPLE, rings, cluster),
                        beyondNvLinkPs(nvls.stepPs(), cluster)
                                + gpu.rates().store().serializationPs(partBytes),
                        beyondNetworkPs(network.steps().ps(false, Protocol.SIMPLE, partBytes / heads), cluster)),
                new Transport.Rates(rate, rate, cluster.instance().gpu().memoryBandwidth()),
                1,
                SWITCH_CHANNELS_AS_ONE);
    }

    /** Returns the maximum bytes of one head's share per channel and round (src/enqueue.cc, calcCollChunking). */
    private static long switchPieceBytes(NcclGpu.Nvls nvls, int heads, int nodes, long totalBytes) {
        long concurrent = (long) nvls.channels() * heads;
        long pieceBytes = nvls.chunkBytes();
        if (nodes == 1) {
            pieceBytes = totalBytes < 64 * concurrent * pieceBytes ? Math.min(pieceBytes, 65_536) : pieceBytes;
            pieceBytes = totalBytes < 8 * concurrent * pieceBytes ? Math.min(pieceBytes, 32_768) : pieceBytes;
            return totalBytes < 2 * concurrent * pieceBytes ? Math.min(pieceBytes, 16_384) : pieceBytes;
        }
        pieceBytes = nodes >= 4 ? Math.min(pieceBytes, 65_536) : pieceBytes;
        pieceBytes = totalBytes < 4 * concurrent * pieceBytes ? Math.min(pieceBytes, 65_536) : pieceBytes;
        return totalBytes < concurrent * pieceBytes ? Math.min(pieceBytes, 32_768) : pieceBytes;
    }

    /** Returns the time before the first step [ps]. A slow host adds as many microseconds with LL128 as with LL in public logs. */
    private static long basePs(NcclGpu gpu, Protocol protocol, Rings rings, Cluster cluster) {
        double added = rings.nodes() > 1 ? cluster.instance().network().base() - 1 : 0;
        return Math.max(
                0, gpu.basePs()[protocol.ordinal()] + StrictMath.round(added * gpu.basePs()[Protocol.LL.ordinal()]));
    }

    /** Returns a measured NVLink step without the latency of the links. */
    private static long beyondNvLinkPs(long stepPs, Cluster cluster) {
        long linkPs =
                cluster.gpusPerNode() > 1 ? new Router(cluster).route(0, 1, 0).latencyPs() : 0;
        return Math.max(0, stepPs - linkPs);
    }

    private static long beyondNetworkPs(long stepPs, Cluster cluster) {
        long linkPs = cluster.nodes() > 1
                ? new Router(cluster).route(0, cluster.gpusPerNode(), 0).latencyPs()
                : 0;
        return Math.max(0, stepPs - linkPs);
    }

    private static Bandwidth slower(Bandwidth one, Bandwidth other) {
        return Comparator.<Bandwidth>naturalOrder().compare(one, other) <= 0 ? one : other;
    }

    /** Returns the maximum bytes per channel and round (src/enqueue.cc, calcCollChunking). */
    private static long chunkBytes(
            CollectiveKind kind,
            Pattern pattern,
            Protocol protocol,
            NcclNetwork network,
            Rings rings,
            int channels,
            long totalBytes) {
        boolean tree = pattern == Pattern.TREE;
        switch (protocol) {
            case LL:
                return LL_CHUNK_BYTES;
            case LL128:
                return tree ? treeLl128ChunkBytes(rings, channels, totalBytes) : LL128_CHUNK_BYTES;
            default:
                long stepBytes = network.bufferBytes() / BUFFER_STEPS;
                if (tree) {
                    return treeSimpleChunkBytes(stepBytes, rings, channels, totalBytes);
                }
                return pattern == Pattern.DIRECT ? PEER_CHUNK_BYTES : chunkSteps(kind) * stepBytes;
        }
    }

    /** Returns whether this is an all-gather or reduce-scatter ring over all GPUs of more than two nodes. */
    private static boolean isLongRing(CollectiveKind kind, Pattern pattern, Rings rings, Cluster cluster) {
        return pattern == Pattern.RING
                && (kind == CollectiveKind.ALL_GATHER || kind == CollectiveKind.REDUCE_SCATTER)
                && rings.nodes() > 2
                && rings.ranks() == rings.nodes() * cluster.gpusPerNode();
    }

    /** Returns whether messages carry a rank's shards; else they carry pieces of the whole buffer. */
    private static boolean isShared(CollectiveKind kind, Pattern pattern) {
        return pattern != Pattern.TREE && kind != CollectiveKind.SEND_RECV && chunkSteps(kind) == RING_CHUNK_STEPS;
    }

    private static int chunkSteps(CollectiveKind kind) {
        return kind == CollectiveKind.BROADCAST || kind == CollectiveKind.BROADCAST_FROM_LAST
                ? CHAIN_CHUNK_STEPS
                : RING_CHUNK_STEPS;
    }

    private static long wholeChunks(long totalBytes, int channels, long chunkBytes) {
        return totalBytes / (channels * chunkBytes);
    }

    /** Returns the chunk size of a tree with LL128: smaller if the tree would otherwise run empty. */
    private static long treeLl128ChunkBytes(Rings rings, int channels, long totalBytes) {
        double ranksPerNode = rings.ranks() / (double) rings.nodes();
        double steps = 1 + NcclTuning.log2(rings.nodes()) + 0.1 * ranksPerNode;
        long chunkBytes = LL128_CHUNK_BYTES;
        while (wholeChunks(totalBytes, channels, chunkBytes) < steps * 64 / ranksPerNode && chunkBytes > 131_072) {
            chunkBytes /= 2;
        }
        while (wholeChunks(totalBytes, channels, chunkBytes) < steps * 16 / ranksPerNode && chunkBytes > 32_768) {
            chunkBytes /= 2;
        }
        return chunkBytes;
    }

    /** Returns the chunk size of a tree with Simple, as in NCCL up to 2.18, the versions of the published runs on p4d. */
    private static long treeSimpleChunkBytes(long stepBytes, Rings rings, int channels, long totalBytes) {
        int depth = rings.ranks() / rings.nodes() - 1 + NcclTuning.log2(rings.nodes());
        long chunkBytes = stepBytes;
        while (totalBytes / (channels * chunkBytes) < depth * 8L && chunkBytes > 131_072) {
            chunkBytes /= 2;
        }
        while (totalBytes / (channels * chunkBytes) < depth * 4L && chunkBytes > 65_536) {
            chunkBytes /= 2;
        }
        while (totalBytes / (channels * chunkBytes) < depth && chunkBytes > 32_768) {
            chunkBytes /= 2;
        }
        return chunkBytes;
    }
}
