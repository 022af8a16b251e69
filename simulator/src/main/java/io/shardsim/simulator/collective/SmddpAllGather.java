package io.shardsim.simulator.collective;

/**
 * All-gather of SMDDP [1]: every member sends its shard directly to the members at its position on all other nodes. Shards from one node are spread
 * over the receiving node while those of further nodes are on their way. (n - p) / n of the buffer enters each node of p of the n members, as in a
 * hierarchical gather, but after one network step instead of nodes - 1.
 *
 * <p>[1] Amazon SageMaker developer guide, Introduction to the SageMaker distributed data parallelism library (2024), SMDDP AllGather.
 */
public final class SmddpAllGather extends MeshAlgorithm {
    public SmddpAllGather() {
        super(CollectiveKind.ALL_GATHER);
    }

    @Override
    void move(Mesh mesh, Chunks chunks) {
        for (int i = 0; i < chunks.count(); i++) {
            mesh.sendToNodes(chunks.bytes(i));
        }
        for (int i = 0; i < chunks.count(); i++) {
            long bytes = chunks.bytes(i);
            mesh.exchangeInNode(1, bytes, false);
            for (int node = 0; node < mesh.nodes() - 1; node++) {
                mesh.receiveFromNode(node, bytes);
                mesh.exchangeInNode(1, bytes, false);
            }
        }
    }
}
