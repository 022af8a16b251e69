package io.shardsim.simulator.collective;

/**
 * Reduce-scatter twin of {@link HierarchicalAllGather}: sums inside each node first, then around the nodes among members at the same position. The
 * node computes the sum for the next node of the ring while the previous sum is on the wire.
 *
 * <p>[1] Zhang et al., MiCS, arXiv:2205.00119, section 3.3, describes the gather; this is its mirror image.
 */
public final class HierarchicalReduceScatter extends HierarchicalAlgorithm {
    public HierarchicalReduceScatter() {
        super("hierarchical", CollectiveKind.REDUCE_SCATTER);
    }

    @Override
    void move(PrimitiveList primitives, int nodes, int local, Chunks chunks) {
        for (int i = 0; i < chunks.count(); i++) {
            long bytes = chunks.bytes(i);
            if (i == 0) {
                start(primitives, local, bytes);
            }
            for (int step = 1; step < nodes - 1; step++) {
                reduceInNode(primitives, local, bytes);
                primitives.receiveReduceSend(1, FROM_PREVIOUS_NODE, TO_NEXT_NODE, bytes);
            }
            reduceInNode(primitives, local, bytes);
            if (i + 1 < chunks.count()) {
                // The next chunk starts before the wait for this one's last sum, so that the network stays busy.
                start(primitives, local, chunks.bytes(i + 1));
            }
            primitives.receiveReduce(FROM_PREVIOUS_NODE, bytes);
        }
    }

    private static void start(PrimitiveList primitives, int local, long chunkBytes) {
        reduceInNode(primitives, local, chunkBytes);
        primitives.send(TO_NEXT_NODE, chunkBytes);
    }
}
