package io.shardsim.simulator.kernel;

import java.util.Arrays;

/**
 * Collects the state of a logical process as numbers relative to an origin. Two equal collections mean equal futures.
 *
 * <ul>
 *   <li>Relative to an instant and a place in the plan: as long as the plan reads the same from both places.
 *   <li>Relative to an instant within a loop: as long as no counter runs out of room and nothing that is held comes due. What the loop counts is left out
 *       of the comparison, and what it does not move is compared as it is.
 * </ul>
 */
public final class StateWriter {
    private long[] values = new long[1024];
    private int size;
    private long originPs;
    private long floorPs;
    private int originOperation;
    private int[] originPositions = {};
    private boolean withinLoop;
    private boolean ofIsland;
    private long[] counters = new long[64];
    private long[] rooms = new long[64];
    private int[] depths = new int[64];
    private int countersSize;

    /**
     * @param originPs instant that times are taken relative to [ps]
     * @param floorPs instant that nothing to come can refer back beyond [ps]
     * @param originOperation operation that plan indices are taken relative to
     * @param originPositions for each stream, the number of operations before the origin
     */
    public void begin(long originPs, long floorPs, int originOperation, int[] originPositions) {
        size = 0;
        countersSize = 0;
        withinLoop = false;
        ofIsland = false;
        this.originPs = originPs;
        this.floorPs = floorPs;
        this.originOperation = originOperation;
        this.originPositions = originPositions;
    }

    /** Begins a collection within a loop; instants are as in {@link #begin}. */
    void beginWithinLoop(long originPs, long floorPs) {
        begin(originPs, floorPs, 0, originPositions);
        withinLoop = true;
    }

    /** Begins a collection of what an island is; places in the plan are left out. Instants are as in {@link #begin}. */
    void beginOfIsland(long originPs, long floorPs, int originOperation) {
        begin(originPs, floorPs, originOperation, originPositions);
        ofIsland = true;
    }

    /** True when what the plan reads like is compared beside it. */
    public boolean isOfIsland() {
        return ofIsland;
    }

    public void value(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    /** Where in a period that began with the run the origin is [ps]; nothing where there is none. */
    public void phase(long periodPs) {
        if (periodPs > 0) {
            value(originPs % periodPs);
        }
    }

    /** An instant whose exact value matters however long ago it was. */
    public void instant(long timePs) {
        value(timePs - originPs);
    }

    /** An instant that no longer matters once nothing can refer to it any more. */
    public void notBefore(long timePs) {
        value(Math.max(floorPs, timePs) - originPs);
    }

    /** An instant that matters however long ago it was, and that a loop does not move: when something began, or will be over. */
    public void held(long timePs) {
        value(withinLoop ? timePs : timePs - originPs);
    }

    /** An instant that a loop does not move, and that no longer matters once nothing can refer to it any more. */
    public void heldNotBefore(long timePs) {
        if (withinLoop) {
            value(timePs);
        } else {
            notBefore(timePs);
        }
    }

    /**
     * What grows in a loop and decides nothing before it has grown by a certain amount.
     *
     * @param depth 0, or one more than that of the counter before this one, within a round of which this one begins anew
     * @param room by how much it may grow
     */
    public void counter(int depth, long value, long room) {
        if (!withinLoop) {
            value(value);
            return;
        }
        if (countersSize == counters.length) {
            counters = Arrays.copyOf(counters, 2 * countersSize);
            rooms = Arrays.copyOf(rooms, 2 * countersSize);
            depths = Arrays.copyOf(depths, 2 * countersSize);
        }
        counters[countersSize] = value;
        depths[countersSize] = depth;
        rooms[countersSize++] = room;
    }

    /** The order of a message, whose operation counts from the origin. */
    public void order(long order) {
        value(EventOrder.shifted(order, -originOperation));
    }

    /** An operation of the plan. */
    public void operation(int operation) {
        value((long) operation - originOperation);
    }

    /** The number of operations that a stream has done. */
    public void position(int stream, int position) {
        value(withinLoop ? position : (long) position - originPositions[stream]);
    }

    int size() {
        return size;
    }

    public long[] toArray() {
        return Arrays.copyOf(values, size);
    }

    /** The counters of a collection within a loop. */
    long[] counters() {
        return Arrays.copyOf(counters, countersSize);
    }

    /** By how much each counter may grow. */
    long[] rooms() {
        return Arrays.copyOf(rooms, countersSize);
    }

    /** Within how many others each counter counts. */
    int[] depths() {
        return Arrays.copyOf(depths, countersSize);
    }
}
