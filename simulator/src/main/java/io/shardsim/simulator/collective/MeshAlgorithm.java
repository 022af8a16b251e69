package io.shardsim.simulator.collective;

/**
 * What the collectives of SMDDP have in common: every member has an edge to the members with its own position on all other nodes, by the NIC beside
 * its GPU, and to all other members on its node. Data takes one network step wherever it goes, so latency does not add up over nodes [1].
 *
 * <p>Asks for at least two nodes that hold the same number of members.
 *
 * <p>Leaves out the library's control of the rate to each peer [1]: ports serve what comes first.
 *
 * <p>[1] Amazon SageMaker developer guide, Introduction to the SageMaker distributed data parallelism library (2024).
 */
abstract class MeshAlgorithm extends SingleKindAlgorithm {
    MeshAlgorithm(CollectiveKind kind) {
        super("smddp", Pattern.OTHER, kind);
    }

    /** Writes what a member does on a channel that carries a part of every shard. */
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
     * The sentences of such a program.
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

        /** Receives from the same position on another node; 0 is the node before this one. */
        void receiveFromNode(int node, long bytes) {
            primitives.receive(node, bytes);
        }

        /** Adds what the same position on every other node sends. */
        void reduceFromNodes(long bytes) {
            for (int node = 0; node < nodes - 1; node++) {
                primitives.receiveReduce(node, bytes);
            }
        }

        /** Sends pieces of the same size to every other member of the node and takes as many from each. */
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
