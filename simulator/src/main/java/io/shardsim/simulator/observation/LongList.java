package io.shardsim.simulator.observation;

import java.util.Arrays;

/** Growable list of primitive longs. */
final class LongList {
    private long[] values = new long[256];
    private int size;

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size + size / 2);
        }
        values[size++] = value;
    }

    void set(int index, long value) {
        values[index] = value;
    }

    long get(int index) {
        return values[index];
    }

    int size() {
        return size;
    }
}
