package io.shardsim.simulator.collective;

/**
 * Common part of the hierarchical gather and its reduce-scatter twin: a ring over the nodes among the members at the same position on their node, and
 * a ring among the members of each node. Between nodes, each member uses the NIC next to its own GPU.
 *
 * <p>Shard i belongs to member i. A member sends its own shard and those of its peers on other nodes over the network, and everything else inside its
 * node. So (n - p) / n of the buffer enters each node of p members, and each NIC carries the share of the members next to it [1].
 *
 * <p>Requires at least two nodes with the same number of members, at least two.
 *
 * <p>[1] Zhang et al., MiCS: Near-linear Scaling for Training Gigantic Model on Public Cloud, arXiv:2205.00119, section 3.3.
 */
abstract class HierarchicalAlgorithm extends SingleKindAlgorithm {
    static final int FROM_PREVIOUS_NODE = 0;
    static final int FROM_PREVIOUS_LOCAL = 1;
    static final int TO_NEXT_NODE = 0;
    static final int TO_NEXT_LOCAL = 1;

    HierarchicalAlgorithm(String name, CollectiveKind kind) {
        super(name, Pattern.HIERARCHICAL, kind);
    }

    /**
     * Writes the program of a member.
     *
     * @param nodes nodes of the group, at least 2
     * @param local members on each node, at least 2
     * @param chunks the channel's share of every shard
     */
    abstract void move(PrimitiveList primitives, int nodes, int local, Chunks chunks);

    @Override
    boolean carries(CollectiveRequest request) {
        GroupPlacement placement = request.placement();
        return placement.nodes() >= 2 && placement.even() && placement.membersOn(0) >= 2;
    }

    @Override
    public ChannelProgram program(CollectiveRequest request, int member, int channel) {
        GroupPlacement placement = request.placement();
        int size = request.size();
        int local = placement.membersOn(0);
        int first = member / local * local;
        int[] members = request.members();
        int previousLocal = first + (member - first + local - 1) % local;
        int nextLocal = first + (member - first + 1) % local;
        Chunks chunks = chunks(request, channel);
        return new ChannelProgram(
                new int[] {members[(member + size - local) % size], members[previousLocal]},
                new int[] {members[(member + local) % size], members[nextLocal]},
                new int[] {FROM_PREVIOUS_NODE, FROM_PREVIOUS_LOCAL},
                new int[] {Rail.ownNic(request, member, channel), ChannelProgram.NONE},
                shared.get(
                        request,
                        chunks,
                        placement.nodes(),
                        0,
                        primitives -> move(primitives, placement.nodes(), local, chunks)));
    }

    /** Passes one chunk of every local member around the node. */
    static void gatherInNode(PrimitiveList primitives, int local, long chunkBytes) {
        primitives.send(TO_NEXT_LOCAL, chunkBytes);
        primitives.receiveCopySend(local - 2, FROM_PREVIOUS_LOCAL, TO_NEXT_LOCAL, chunkBytes);
        primitives.receive(FROM_PREVIOUS_LOCAL, chunkBytes);
    }

    /** Sums one chunk for every local member around the node. */
    static void reduceInNode(PrimitiveList primitives, int local, long chunkBytes) {
        primitives.send(TO_NEXT_LOCAL, chunkBytes);
        primitives.receiveReduceSend(local - 2, FROM_PREVIOUS_LOCAL, TO_NEXT_LOCAL, chunkBytes);
        primitives.receiveReduce(FROM_PREVIOUS_LOCAL, chunkBytes);
    }
}
