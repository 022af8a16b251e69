package io.shardsim.simulator.collective;

/**
 * Hierarchical all-gather in the order of MiCS [1] and DeepSpeed's MiCS_Init._hierarchical_all_gather_params: first the whole gather between nodes
 * among members at the same local position, then, in one batch, the gathers of each node's shards inside the node. Each channel proceeds to its
 * second stage by itself.
 *
 * <p>Leaves out the launch of a second kernel, and the copy that reorders the first stage's output for the second.
 *
 * <p>[1] Zhang et al., MiCS, arXiv:2205.00119, section 3.3.
 */
public final class BatchedHierarchicalAllGather extends HierarchicalAlgorithm {
    public BatchedHierarchicalAllGather() {
        super("hierarchical-batched", CollectiveKind.ALL_GATHER);
    }

    @Override
    void move(PrimitiveList primitives, int nodes, int local, Chunks chunks) {
        for (int i = 0; i < chunks.count(); i++) {
            primitives.send(TO_NEXT_NODE, chunks.bytes(i));
            primitives.receiveCopySend(nodes - 2, FROM_PREVIOUS_NODE, TO_NEXT_NODE, chunks.bytes(i));
            primitives.receive(FROM_PREVIOUS_NODE, chunks.bytes(i));
        }
        Chunks ofAllNodes = new Chunks(nodes * chunks.partBytes(), chunks.chunkBytes());
        for (int i = 0; i < ofAllNodes.count(); i++) {
            gatherInNode(primitives, local, ofAllNodes.bytes(i));
        }
    }
}
