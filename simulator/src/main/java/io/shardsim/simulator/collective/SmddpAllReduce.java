package io.shardsim.simulator.collective;

/**
 * All-reduce of SMDDP over a balanced fusion buffer [1, 2], in three stages. The members of a node reduce-scatter their buffers. Each member's share
 * is cut into one piece per node; every node sums its piece of all nodes, like a parameter server, and sends the sum back. Then the members of a node
 * all-gather. Every server gets the same number of bytes from every buffer.
 *
 * <p>Each member sends 2 (n - 1) / n of the buffer, of which 2 (nodes - 1) / n over the network, as in a ring, but in two network steps for any
 * number of nodes.
 *
 * <p>Not modelled: the library sums network data in host memory; here it is summed where it arrives.
 *
 * <p>[1] Thangakrishnan et al., Herring: Rethinking the Parameter Server at Scale for the Cloud, SC20. [2] Amazon SageMaker developer guide,
 * Introduction to SageMaker's Distributed Data Parallel Library (2021), Balanced Fusion Buffer.
 */
public final class SmddpAllReduce extends MeshAlgorithm {
    public SmddpAllReduce() {
        super(CollectiveKind.ALL_REDUCE);
    }

    /** Writes three pipelined stages: while the sums of one chunk return, the servers sum the next one. */
    @Override
    void move(Mesh mesh, Chunks chunks) {
        for (int i = 0; i < chunks.count() + 2; i++) {
            if (i < chunks.count()) {
                mesh.exchangeInNode(mesh.nodes(), chunks.bytes(i), true);
                mesh.sendToNodes(chunks.bytes(i));
            }
            if (i >= 1 && i - 1 < chunks.count()) {
                mesh.reduceFromNodes(chunks.bytes(i - 1));
                mesh.sendToNodes(chunks.bytes(i - 1));
            }
            if (i >= 2) {
                for (int node = 0; node < mesh.nodes() - 1; node++) {
                    mesh.receiveFromNode(node, chunks.bytes(i - 2));
                }
                mesh.exchangeInNode(mesh.nodes(), chunks.bytes(i - 2), false);
            }
        }
    }
}
