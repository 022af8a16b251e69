package io.shardsim.simulator.collective;

/**
 * A schedule of chunk transfers for one or more kinds of collective. Planning twice gives the same programs; over all ranks, bytes sent on an
 * edge equal bytes received on it, in number, order and size of slices.
 */
public interface CollectiveAlgorithm {

    /** How members pass chunks on. A transport goes by it when it chooses channels, chunks and latencies. */
    enum Pattern {
        RING,
        TREE,
        /** Everybody sends to everybody. */
        DIRECT,
        /** The NVSwitch adds up. */
        SWITCH,
        /** Rings between nodes, then on inside of each. */
        HIERARCHICAL,
        /** Another one: chunks as in a ring, no latency measured for it, and never chosen by {@code auto}. */
        OTHER
    }

    /** Catalog name, for example {@code ring}. */
    String name();

    default Pattern pattern() {
        return Pattern.OTHER;
    }

    /** True when this algorithm can carry the request (kind, group size, placement on nodes). */
    boolean supports(CollectiveRequest request);

    /** Number of channels; each has one program per member. */
    int channels(CollectiveRequest request);

    /** What one member does on one channel. */
    ChannelProgram program(CollectiveRequest request, int member, int channel);

    /**
     * Share of the buffer that at least must leave a node, or reach one, in the course of the collective; all members on one node are a node each.
     * Whatever the algorithm, a node lacks what the others have; where switches add up, no more than that need pass.
     *
     * @param together members on the node that has most of them, 1 where one node has all
     * @param members members of the group
     */
    default double leastShare(CollectiveKind kind, int together, int members) {
        return switch (kind) {
            case ALL_GATHER, REDUCE_SCATTER, ALL_REDUCE, ALL_TO_ALL -> (double) (members - together) / members;
            case SEND_RECV, BROADCAST, BROADCAST_FROM_LAST -> 1;
        };
    }
}
