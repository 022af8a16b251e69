package io.shardsim.simulator.collective;

/**
 * Reduce-scatter twin of {@link BatchedHierarchicalAllGather}: first all sums inside the node, in one batch, then the whole reduce-scatter between
 * nodes among members at the same local position.
 */
public final class BatchedHierarchicalReduceScatter extends HierarchicalAlgorithm {
    public BatchedHierarchicalReduceScatter() {
        super("hierarchical-batched", CollectiveKind.REDUCE_SCATTER);
    }

    @Override
    void move(PrimitiveList primitives, int nodes, int local, Chunks chunks) {
        Chunks ofAllNodes = new Chunks(nodes * chunks.partBytes(), chunks.chunkBytes());
        for (int i = 0; i < ofAllNodes.count(); i++) {
            reduceInNode(primitives, local, ofAllNodes.bytes(i));
        }
        for (int i = 0; i < chunks.count(); i++) {
            primitives.send(TO_NEXT_NODE, chunks.bytes(i));
            primitives.receiveReduceSend(nodes - 2, FROM_PREVIOUS_NODE, TO_NEXT_NODE, chunks.bytes(i));
            primitives.receiveReduce(FROM_PREVIOUS_NODE, chunks.bytes(i));
        }
    }
}
