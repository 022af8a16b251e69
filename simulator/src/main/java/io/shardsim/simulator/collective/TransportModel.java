package io.shardsim.simulator.collective;

import io.shardsim.topology.Cluster;

/** A communication library's choice of the algorithm and the {@link Transport} for a collective (NCCL, src/graph/tuning.cc and src/enqueue.cc). */
public interface TransportModel {

    /**
     * @param algorithm catalog name of the algorithm, or {@code auto} for the library's own choice
     * @param members global ranks of the group, in order
     */
    Choice choose(CollectiveKind kind, String algorithm, long totalBytes, int[] members, Cluster cluster);

    /** Returns the GPU memory that the library reserves on this cluster in addition to an NCCL communicator [bytes]. */
    default long bufferBytes(Cluster cluster) {
        return 0;
    }

    /** Algorithm with its transport. */
    record Choice(CollectiveAlgorithm algorithm, Transport transport) {}
}
