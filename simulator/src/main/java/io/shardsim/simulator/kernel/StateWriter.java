package io.shardsim.simulator.kernel;

import java.util.Arrays;

/**
 * Serializes the state of a logical process as numbers relative to an origin. Equal numbers mean equal futures.
 *
 * <ul>
 *   <li>Relative to an instant and a position in the plan: as long as the plan reads the same from both positions.
 *   <li>Relative to an instant within a loop: as long as no counter runs out of room and no held instant is reached. Counters of the loop are not
 *       compared, and instants that it does not shift are compared as absolute values.
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
     * @param originPs origin of instants [ps]
     * @param floorPs earliest instant that future events can refer to [ps]
     * @param originOperation origin of operation indices
     * @param originPositions number of operations before the origin, by stream
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

    /** Begins the state within a loop; instants are as in {@link #begin}. */
    void beginWithinLoop(long originPs, long floorPs) {
        begin(originPs, floorPs, 0, originPositions);
        withinLoop = true;
    }

    /** Begins the state of an island, without positions in the plan. Instants are as in {@link #begin}. */
    void beginOfIsland(long originPs, long floorPs, int originOperation) {
        begin(originPs, floorPs, originOperation, originPositions);
        ofIsland = true;
    }

    /** Returns whether this is the state of an island, for which the plan's repetition is checked separately. */
    public boolean isOfIsland() {
        return ofIsland;
    }

    public void value(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    /** Adds the phase of the origin in a period that started with the run [ps]; nothing without a period. */
    public void phase(long periodPs) {
        if (periodPs > 0) {
            value(originPs % periodPs);
        }
    }

    /** Adds an instant whose exact value always matters. */
    public void instant(long timePs) {
        value(timePs - originPs);
    }

    /** Adds an instant that stops mattering once nothing can refer to it. */
    public void notBefore(long timePs) {
        value(Math.max(floorPs, timePs) - originPs);
    }

    /** Adds an instant that always matters and that a loop does not shift: when something began, or will end. */
    public void held(long timePs) {
        value(withinLoop ? timePs : timePs - originPs);
    }

    /** Adds an instant that a loop does not shift, and that stops mattering once nothing can refer to it. */
    public void heldNotBefore(long timePs) {
        if (withinLoop) {
            value(timePs);
        } else {
            notBefore(timePs);
        }
    }

    /**
     * Adds a counter, which grows in a loop and has no effect until it has used up its room.
     *
     * @param depth nesting depth: 0, or one more than the previous counter's, if this one restarts in each of its rounds
     * @param room amount by which it may grow
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

    /** Adds the order of a message, with its operation relative to the origin. */
    public void order(long order) {
        value(EventOrder.shifted(order, -originOperation));
    }

    /** Adds an operation of the plan. */
    public void operation(int operation) {
        value((long) operation - originOperation);
    }

    /** Adds the number of operations that a stream has done. */
    public void position(int stream, int position) {
        value(withinLoop ? position : (long) position - originPositions[stream]);
    }

    int size() {
        return size;
    }

    public long[] toArray() {
        return Arrays.copyOf(values, size);
    }

    /** Returns the counters of a state within a loop. */
    long[] counters() {
        return Arrays.copyOf(counters, countersSize);
    }

    /** Returns the room of each counter. */
    long[] rooms() {
        return Arrays.copyOf(rooms, countersSize);
    }

    /** Returns the nesting depth of each counter. */
    int[] depths() {
        return Arrays.copyOf(depths, countersSize);
    }
}
