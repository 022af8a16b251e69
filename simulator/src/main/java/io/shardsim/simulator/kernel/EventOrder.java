package io.shardsim.simulator.kernel;

/**
 * Packs the tie-breakers of messages at the same time into one long, most significant first: class of event (2 bits), operation of the plan (24),
 * channel of the collective (7), receive slot (15), slot of the sender in its node (8), local rank of the final receiver (7). All parts look the same
 * from every node of a symmetric cluster and advance evenly when the plan repeats. So skipping nodes and periods is exact.
 */
public final class EventOrder {
    /** Arrival of a chunk. */
    public static final int CHUNK = 0;
    /** Release of a channel's thread block. */
    public static final int CHANNEL = 1;
    /** End of a kernel. */
    public static final int KERNEL = 2;
    /** Start of a collective's kernel. */
    public static final int LAUNCH = 3;

    public static final int OPERATIONS_MAX = 1 << 24;
    public static final int CHANNELS_MAX = 1 << 7;
    public static final int RECEIVE_SLOTS_MAX = 1 << 15;
    public static final int NODE_SLOTS_MAX = 1 << 8;
    public static final int LOCAL_RANKS_MAX = 1 << 7;

    private static final int LOCAL_RANK_BITS = 7;
    private static final int NODE_SLOT_SHIFT = LOCAL_RANK_BITS;
    private static final int RECEIVE_SLOT_SHIFT = NODE_SLOT_SHIFT + 8;
    private static final int CHANNEL_SHIFT = RECEIVE_SLOT_SHIFT + 15;
    private static final int OPERATION_SHIFT = CHANNEL_SHIFT + 7;
    private static final int CLASS_SHIFT = OPERATION_SHIFT + 24;
    private static final long NODE_SLOT_MASK = (NODE_SLOTS_MAX - 1L) << NODE_SLOT_SHIFT;

    private EventOrder() {}

    public static long of(int eventClass, int operation, int channel, int receiveSlot, int nodeSlot, int localRank) {
        return (long) eventClass << CLASS_SHIFT
                | (long) operation << OPERATION_SHIFT
                | (long) channel << CHANNEL_SHIFT
                | (long) receiveSlot << RECEIVE_SLOT_SHIFT
                | (long) nodeSlot << NODE_SLOT_SHIFT
                | localRank;
    }

    /** Returns the order of a chunk that a device on its path forwards. */
    public static long from(long order, int nodeSlot) {
        return order & ~NODE_SLOT_MASK | (long) nodeSlot << NODE_SLOT_SHIFT;
    }

    public static int eventClass(long order) {
        return (int) (order >>> CLASS_SHIFT);
    }

    public static int operation(long order) {
        return (int) (order >>> OPERATION_SHIFT) & (OPERATIONS_MAX - 1);
    }

    public static int channel(long order) {
        return (int) (order >>> CHANNEL_SHIFT) & (CHANNELS_MAX - 1);
    }

    public static int receiveSlot(long order) {
        return (int) (order >>> RECEIVE_SLOT_SHIFT) & (RECEIVE_SLOTS_MAX - 1);
    }

    /** Returns the order for an operation further on in the plan. */
    public static long shifted(long order, int deltaOperations) {
        return order + ((long) deltaOperations << OPERATION_SHIFT);
    }
}
