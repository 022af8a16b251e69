package io.shardsim.simulator.run;

import io.shardsim.simulator.TooLargeException;

/** Limits of the fields of an event's order, and of the heap. */
final class Limits {
    /** Minimum memory of a device with its actor, ports and share of programs (docs/speed.md) [bytes]. */
    private static final long DEVICE_BYTES = 2560;

    private Limits() {}

    static void require(String what, int value, int limit) {
        if (value > limit) {
            throw new TooLargeException(what + ": " + value + " > " + limit + "; make the run smaller");
        }
    }

    /** Checks the heap; to be called before devices are created. */
    static void requireHeap(long devices, long heapBytes) {
        long needBytes = Math.multiplyExact(devices, DEVICE_BYTES);
        if (needBytes > heapBytes) {
            throw new TooLargeException(
                    devices + " devices need " + mebibytes(needBytes) + " MiB > " + mebibytes(heapBytes)
                            + " MiB of heap; write fewer nodes, or set SHARDSIM_JAVA_OPTS=-Xmx"
                            + (2 * needBytes / (1L << 30) + 1) + "g",
                    "cluster.nodes",
                    "cluster");
        }
    }

    private static long mebibytes(long bytes) {
        return bytes >> 20;
    }
}
