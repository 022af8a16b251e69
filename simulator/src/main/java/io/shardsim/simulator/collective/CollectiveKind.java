package io.shardsim.simulator.collective;

import java.util.Locale;

/** Kinds of collective, by the data of every rank before and after. */
public enum CollectiveKind {
    /** Each rank starts with one shard; all end with the whole buffer. */
    ALL_GATHER,
    /** Each rank starts with a whole buffer; each ends with the sum of one shard. */
    REDUCE_SCATTER,
    /** Each rank starts with a whole buffer; all end with its sum. */
    ALL_REDUCE,
    /** Each rank starts with a buffer of one shard per rank; each ends with its shard from every rank. */
    ALL_TO_ALL,
    /** Each rank starts with a whole buffer and ends with that of the previous rank, cyclically (nccl-tests, sendrecv). */
    SEND_RECV,
    /** The first rank starts with a whole buffer; all end with it. */
    BROADCAST,
    /** The last rank starts with a whole buffer; all end with it. */
    BROADCAST_FROM_LAST;

    /** Returns the name in scenario files, for example {@code all_gather}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether it sums data of several ranks. */
    public boolean reduces() {
        return this == REDUCE_SCATTER || this == ALL_REDUCE;
    }

    /** Returns bus bandwidth over algorithm bandwidth: the share of the buffer that the busiest link must carry (nccl-tests, PERFORMANCE.md). */
    public double busFactor(int ranks) {
        double part = (ranks - 1.0) / ranks;
        return switch (this) {
            case ALL_REDUCE -> 2 * part;
            case SEND_RECV, BROADCAST, BROADCAST_FROM_LAST -> 1;
            default -> part;
        };
    }
}
