package io.shardsim.simulator.kernel;

import java.util.Arrays;

/** Messages for another logical process, serialized as numbers: they belong to neither side and can be passed to another thread or machine. */
public final class EventBatch {
    private long[] values = new long[64];
    private int size;
    private int read;
    private long earliestPs = Long.MAX_VALUE;

    /** Starts a message with this time. */
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

    /** Returns the time of the earliest message [ps]; Long.MAX_VALUE if there is none. */
    public long earliestPs() {
        return earliestPs;
    }

    /** Returns the numbers, in the order of adding. */
    public long[] toArray() {
        return Arrays.copyOf(values, size);
    }

    /** Creates a batch from numbers. */
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
