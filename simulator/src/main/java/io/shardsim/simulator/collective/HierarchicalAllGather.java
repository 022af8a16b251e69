package io.shardsim.simulator.collective;

/**
 * Hierarchical all-gather of MiCS [1], pipelined: a chunk is passed around its node as soon as it arrives over the network, while the next one is on
 * the wire. A gather over N nodes takes N - 1 network steps; the flat ring takes n - 1 steps, N of them over the network.
 *
 * <p>MiCS itself finishes the first stage before it starts the second, as in {@link BatchedHierarchicalAllGather}. Here a channel alternates between
 * the stages: its wait for the network overlaps with the gather inside the node, as long as that gather is shorter.
 *
 * <p>[1] Zhang et al., MiCS, arXiv:2205.00119, section 3.3; sdp_hierarchical_allgather of the SageMaker model parallel library.
 */
public final class HierarchicalAllGather extends HierarchicalAlgorithm {
    public HierarchicalAllGather() {
        super("hierarchical", CollectiveKind.ALL_GATHER);
    }

    @Override
    void move(PrimitiveList primitives, int nodes, int local, Chunks chunks) {
        for (int i = 0; i < chunks.count(); i++) {
            long bytes = chunks.bytes(i);
            if (i == 0) {
                primitives.send(TO_NEXT_NODE, bytes);
            }
            gatherInNode(primitives, local, bytes);
            for (int step = 1; step < nodes - 1; step++) {
                primitives.receiveCopySend(1, FROM_PREVIOUS_NODE, TO_NEXT_NODE, bytes);
                gatherInNode(primitives, local, bytes);
            }
            primitives.receive(FROM_PREVIOUS_NODE, bytes);
            if (i + 1 < chunks.count()) {
                // The next chunk leaves before the last gather in the node, so that the network stays busy.
                primitives.send(TO_NEXT_NODE, chunks.bytes(i + 1));
            }
            gatherInNode(primitives, local, bytes);
        }
    }
}
