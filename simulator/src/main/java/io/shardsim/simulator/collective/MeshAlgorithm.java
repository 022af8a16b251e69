package io.shardsim.simulator.collective;

/**
 * Common part of SMDDP's collectives: every member has an edge to the members at its position on all other nodes, through the NIC next to its GPU,
 * and to all other members on its node. Data reaches any node in one network step, so latency does not grow with the number of nodes [1].
 *
 * <p>Requires at least two nodes with the same number of members.
 *
 * <p>Leaves out the library's rate control per peer [1]: ports are FIFO.
 *
 * <p>[1] Amazon SageMaker developer guide, Introduction to the SageMaker distributed data parallelism library (2024).
 */
abstract class MeshAlgorithm extends SingleKindAlgorithm {
    MeshAlgorithm(CollectiveKind kind) {
        super("smddp", Pattern.OTHER, kind);
    }

    /** Writes the program of a member on a channel that carries a share of every shard. */
    abstract void move(Mesh mesh, Chunks chunks);

    @Override
    final boolean carries(CollectiveRequest request) {
        GroupPlacement placement = request.placement();
        return placement.nodes() >= 2 && placement.even();
    }

    @Override
    public final ChannelProgram program(CollectiveRequest request, int member, int channel) {
        GroupPlacement placement = request.placement();
        int nodes = placement.nodes();
        int local = placement.membersOn(0);
        int edges = nodes - 1 + local - 1;
        int[] sources = new int[edges];
        int[] targets = new int[edges];
        int[] slots = new int[edges];
        int[] nics = new int[edges];
        int[] members = request.members();
        int first = member / local * local;
        for (int slot = 0; slot < edges; slot++) {
            boolean remote = slot < nodes - 1;
            int round = remote ? slot + 1 : slot - (nodes - 1) + 1;
            sources[slot] = members[
                    remote
                            ? (member + (nodes - round) * local) % members.length
                            : first + (member - first + local - round) % local];
            targets[slot] = members[
                    remote ? (member + round * local) % members.length : first + (member - first + round) % local];
            slots[slot] = slot;
            nics[slot] = remote ? Rail.ownNic(request, member, channel) : ChannelProgram.NONE;
        }
        Chunks chunks = chunks(request, channel);
        return new ChannelProgram(
                sources,
                targets,
                slots,
                nics,
                shared.get(request, chunks, nodes, 0, primitives -> move(new Mesh(primitives, nodes, local), chunks)));
    }

    /**
     * Writes the transfers of a program.
     *
     * @param nodes nodes of the group, at least 2
     * @param local members on each node
     */
    record Mesh(PrimitiveList primitives, int nodes, int local) {

        /** Sends to the same position on every other node, the next node first. */
        void sendToNodes(long bytes) {
            for (int node = 0; node < nodes - 1; node++) {
                primitives.send(node, bytes);
            }
        }

        /** Receives from the same position on another node; 0 is the previous node. */
        void receiveFromNode(int node, long bytes) {
            primitives.receive(node, bytes);
        }

        /** Receives from the same position on every other node and adds. */
        void reduceFromNodes(long bytes) {
            for (int node = 0; node < nodes - 1; node++) {
                primitives.receiveReduce(node, bytes);
            }
        }

        /** Sends chunks of equal size to every other member of the node, and receives as many from each. */
        void exchangeInNode(int pieces, long bytes, boolean reduces) {
            for (int piece = 0; piece < pieces; piece++) {
                for (int peer = 0; peer < local - 1; peer++) {
                    primitives.send(nodes - 1 + peer, bytes);
                }
            }
            for (int piece = 0; piece < pieces; piece++) {
                for (int peer = 0; peer < local - 1; peer++) {
                    if (reduces) {
                        primitives.receiveReduce(nodes - 1 + peer, bytes);
                    } else {
                        primitives.receive(nodes - 1 + peer, bytes);
                    }
                }
            }
        }
    }
}
