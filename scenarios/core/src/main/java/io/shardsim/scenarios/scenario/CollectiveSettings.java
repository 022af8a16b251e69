package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.collective.nccl.NcclTransportModel;
import io.shardsim.simulator.collective.smddp.SmddpTransportModel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of collectives.
 *
 * @param library library whose choice of algorithm, protocol and channels is modelled
 * @param algorithm forced algorithm, or {@code auto} for the library's own choice
 * @param chunkBytes forced maximum chunk size, or null for the library's own [bytes]
 */
public record CollectiveSettings(
        String library, String algorithm, @Nullable Long chunkBytes) {
    public static final String AUTO = "auto";
    public static final String NCCL = "nccl";
    public static final String SMDDP = "smddp";

    static final List<String> LIBRARIES = List.of(NCCL, SMDDP);

    /** Returns the library's tuning and cost model. */
    public TransportModel transports() {
        List<CollectiveAlgorithm> algorithms = CollectiveCatalog.shipped().algorithms();
        long chunkBytesMax = chunkBytes == null ? Long.MAX_VALUE : chunkBytes;
        NcclTransportModel nccl = new NcclTransportModel(algorithms, chunkBytesMax);
        return library.equals(SMDDP) ? new SmddpTransportModel(nccl, algorithms, chunkBytesMax) : nccl;
    }
}
