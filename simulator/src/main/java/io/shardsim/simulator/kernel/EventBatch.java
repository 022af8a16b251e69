package io.shardsim.simulator.kernel;

import java.util.Arrays;

/**
 * Messages on their way to another logical process, written down as numbers: nothing in it belongs to either side, so it can be handed to
 * another thread or sent to another machine as it is.
 */
public final class EventBatch {
    private long[] values = new long[64];
    private int size;
    private int read;
    private long earliestPs = Long.MAX_VALUE;

    /** Notes that a message with this time follows. */
    void begin(long timePs) {
        earliestPs = Math.min(earliestPs, timePs);
    }

    public void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    public boolean hasNext() {
        return read < size;
    }

    public long next() {
        return values[read++];
    }

    /** Time of the earliest message [ps], Long.MAX_VALUE when there is none. */
    public long earliestPs() {
        return earliestPs;
    }

    /** The numbers, in the order of adding. */
    public long[] toArray() {
        return Arrays.copyOf(values, size);
    }

    /** A batch of these numbers. */
    public static EventBatch of(long[] numbers, long earliestPs) {
        EventBatch batch = new EventBatch();
        batch.values = numbers.length == 0 ? batch.values : numbers;
        batch.size = numbers.length;
        batch.earliestPs = earliestPs;
        return batch;
    }

    public void clear() {
        size = 0;
        read = 0;
        earliestPs = Long.MAX_VALUE;
    }
}
