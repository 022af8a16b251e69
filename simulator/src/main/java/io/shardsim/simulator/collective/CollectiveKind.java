package io.shardsim.simulator.collective;

import java.util.Locale;

/** The collectives, by what every rank holds before and after. */
public enum CollectiveKind {
    /** Each rank brings one shard; all end with the whole buffer. */
    ALL_GATHER,
    /** Each rank brings a whole buffer; each ends with the sum of one shard. */
    REDUCE_SCATTER,
    /** Each rank brings a whole buffer; all end with its sum. */
    ALL_REDUCE,
    /** Each rank brings a whole buffer of one shard per rank; each ends with its shard of every rank. */
    ALL_TO_ALL,
    /** Each rank brings a whole buffer; each ends with that of the rank before it, the first with that of the last (nccl-tests, sendrecv). */
    SEND_RECV,
    /** The first rank brings a whole buffer; all end with it. */
    BROADCAST,
    /** The last rank brings a whole buffer; all end with it. */
    BROADCAST_FROM_LAST;

    /** The name as scenario files write it, for example {@code all_gather}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** True when data of several ranks is added up on the way. */
    public boolean reduces() {
        return this == REDUCE_SCATTER || this == ALL_REDUCE;
    }

    /**
     * Bus bandwidth over algorithm bandwidth (nccl-tests, PERFORMANCE.md): the share of the buffer that the busiest link must carry.
     */
    public double busFactor(int ranks) {
        double part = (ranks - 1.0) / ranks;
        return switch (this) {
            case ALL_REDUCE -> 2 * part;
            case SEND_RECV, BROADCAST, BROADCAST_FROM_LAST -> 1;
            default -> part;
        };
    }
}
