package io.shardsim.simulator.collective.smddp;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.collective.nccl.NcclCatalog;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import java.util.Map;

/**
 * SMDDP's choices: its own all-gather and all-reduce if they are supported, NCCL's collectives for everything else.
 *
 * <p>An all-gather falls back to NCCL in two cases: a rank's input exceeds the scratch buffer, or the input of one rank in each node's share of the
 * group, times the ranks of the group, exceeds the sort buffer [1]. SMDDP's step times are not published; steps take as long as NCCL's sends to peers
 * on the same instance.
 *
 * <p>[1] Amazon SageMaker developer guide, Sharded Data Parallelism, Performance and memory tuning (2024).
 */
public final class SmddpTransportModel implements TransportModel {
    /** Name in scenarios and the catalog. */
    public static final String NAME = "smddp";

    /** Folder of its only file. */
    public static final FigureFolder CONSTANTS = new FigureFolder(
            "catalog/" + NAME,
            "SMDDP constants",
            FigureFolder.figures(NcclCatalog.KEYS.keys(
                    "smddp", Map.of("network", ScalarTypes.text("[a-z0-9][a-z0-9.-]*", "the name of a network")))));

    /** GPUs per node for which the sort buffer's rule is documented. */
    private static final int GPUS_PER_NODE = 8;

    private final TransportModel nccl;
    private final List<? extends CollectiveAlgorithm> algorithms;
    private final FigureFile constants = CONSTANTS.named(NAME);
    private final long chunkBytesMax;

    /**
     * @param nccl model of the collectives that SMDDP does not support
     * @param algorithms available algorithms
     * @param chunkBytesMax maximum chunk, in addition to the library's own limit [bytes]
     */
    public SmddpTransportModel(
            TransportModel nccl, List<? extends CollectiveAlgorithm> algorithms, long chunkBytesMax) {
        this.nccl = nccl;
        this.algorithms = List.copyOf(algorithms);
        this.chunkBytesMax = chunkBytesMax;
    }

    @Override
    public Choice choose(CollectiveKind kind, String algorithm, long totalBytes, int[] members, Cluster cluster) {
        boolean asked = algorithm.equals("auto") || algorithm.equals(NAME);
        if (asked && isSupported(kind, cluster) && !fallsBack(kind, totalBytes, members.length)) {
            Transport transport = transport(totalBytes, members, cluster);
            CollectiveRequest request = new CollectiveRequest(kind, totalBytes, members, cluster, transport);
            for (CollectiveAlgorithm candidate : algorithms) {
                if (candidate.name().equals(NAME) && candidate.supports(request)) {
                    return new Choice(candidate, transport);
                }
            }
        }
        return nccl.choose(kind, algorithm.equals(NAME) ? "auto" : algorithm, totalBytes, members, cluster);
    }

    @Override
    public long bufferBytes(Cluster cluster) {
        return cluster.nodes() > 1 && isSupported(CollectiveKind.ALL_GATHER, cluster)
                ? constants.whole("all_gather_scratch") + constants.whole("all_gather_sort")
                : 0;
    }

    private boolean isSupported(CollectiveKind kind, Cluster cluster) {
        String key = kind.id() + "_networks";
        return constants.has(key)
                && constants
                        .<String>list(key)
                        .contains(cluster.instance().network().library());
    }

    private boolean fallsBack(CollectiveKind kind, long totalBytes, int ranks) {
        if (kind != CollectiveKind.ALL_GATHER) {
            return false;
        }
        long inputBytes = (totalBytes + ranks - 1) / ranks;
        return inputBytes > constants.whole("all_gather_scratch")
                || (double) inputBytes * ranks / GPUS_PER_NODE > constants.whole("all_gather_sort");
    }

    /** Returns a transport with the thread blocks of NCCL's sends, on fewer SMs. */
    private Transport transport(long totalBytes, int[] members, Cluster cluster) {
        Transport sends = nccl.choose(CollectiveKind.ALL_TO_ALL, "direct", totalBytes, members, cluster)
                .transport();
        int multiprocessors = constants.count("multiprocessors");
        long shardBytes = totalBytes / members.length;
        long messageBytes = Math.min(chunkBytesMax, constants.whole("message"));
        int channels = (int) Math.max(1, Math.min(multiprocessors, shardBytes / messageBytes));
        return new Transport(
                "mesh",
                channels,
                messageBytes,
                1,
                sends.delays(),
                new Transport.Rates(
                        perChannel(sends.copyRate(), sends.channels(), channels),
                        perChannel(sends.reduceRate(), sends.channels(), channels),
                        sends.storeRate()),
                sends.wireRatio(),
                Math.max(1, multiprocessors / channels));
    }

    private static Bandwidth perChannel(Bandwidth rate, int channels, int own) {
        return rate.scaled((double) channels / own);
    }
}
