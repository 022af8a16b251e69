package io.shardsim.simulator.collective;

/**
 * Schedule of chunk transfers for one or more kinds of collective. Equal requests give equal programs. Over all ranks, sends and receives on an edge
 * match in number, order and size of slices.
 */
public interface CollectiveAlgorithm {

    /** Communication pattern, by which a transport chooses channels, chunks and latencies. */
    enum Pattern {
        RING,
        TREE,
        /** Every member sends to every other. */
        DIRECT,
        /** The NVSwitch reduces. */
        SWITCH,
        /** Rings between nodes, and rings inside each node. */
        HIERARCHICAL,
        /** Anything else: chunks as in a ring, no measured latency, and never chosen by {@code auto}. */
        OTHER
    }

    /** Returns the catalog name, for example {@code ring}. */
    String name();

    default Pattern pattern() {
        return Pattern.OTHER;
    }

    /** Returns whether this algorithm supports the request: kind, group size, placement on nodes. */
    boolean supports(CollectiveRequest request);

    /** Returns the number of channels; each has one program per member. */
    int channels(CollectiveRequest request);

    /** Returns the program of one member on one channel. */
    ChannelProgram program(CollectiveRequest request, int member, int channel);

    /**
     * Returns the minimum share of the buffer that must leave or reach a node during the collective, whatever the algorithm: a node lacks what the
     * others have. If all members are on one node, each counts as a node.
     *
     * @param together members on the node with the most; 1 if all are on one node
     * @param members members of the group
     */
    default double leastShare(CollectiveKind kind, int together, int members) {
        return switch (kind) {
            case ALL_GATHER, REDUCE_SCATTER, ALL_REDUCE, ALL_TO_ALL -> (double) (members - together) / members;
            case SEND_RECV, BROADCAST, BROADCAST_FROM_LAST -> 1;
        };
    }
}
