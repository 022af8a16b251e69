package io.shardsim.simulator.kernel;

import java.util.Arrays;

/**
 * Collects the state of a logical process as numbers relative to an origin: an instant and a place in the plan. Two equal collections mean
 * equal futures, as long as the plan reads the same from both places.
 */
public final class StateWriter {
    private long[] values = new long[1024];
    private int size;
    private long originPs;
    private long floorPs;
    private int originOperation;
    private int[] originPositions = {};

    /**
     * @param originPs instant that times are taken relative to [ps]
     * @param floorPs instant that nothing to come can refer back beyond [ps]
     * @param originOperation operation that plan indices are taken relative to
     * @param originPositions for each stream, the number of operations before the origin
     */
    public void begin(long originPs, long floorPs, int originOperation, int[] originPositions) {
        size = 0;
        this.originPs = originPs;
        this.floorPs = floorPs;
        this.originOperation = originOperation;
        this.originPositions = originPositions;
    }

    public void value(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    /** An instant whose exact value matters however long ago it was. */
    public void instant(long timePs) {
        value(timePs - originPs);
    }

    /** An instant that no longer matters once nothing can refer to it any more. */
    public void notBefore(long timePs) {
        value(Math.max(floorPs, timePs) - originPs);
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
        value((long) position - originPositions[stream]);
    }

    public long[] toArray() {
        return Arrays.copyOf(values, size);
    }
}
