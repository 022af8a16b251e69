package io.shardsim.scenarios.evaluation;

/** A JVM whose heap is full, as it shows in what a run fails with, and what to do about it. */
public final class OutOfHeap {
    private static final long GIB = 1L << 30;
    private static final long ADVISED_GIB_MIN = 8;

    /** Causes may form a circle. */
    private static final int DEPTH_MAX = 100;

    private OutOfHeap() {}

    /** Whether a failure is a full heap, or was caused by one. Takes no heap itself. */
    public static boolean isCauseOf(Throwable failure) {
        Throwable each = failure;
        for (int depth = 0; each != null && depth < DEPTH_MAX; depth++) {
            if (each instanceof OutOfMemoryError) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }

    /** What is wrong, and an option that gives more. */
    public static String words() {
        return "the simulator itself ran out of memory; " + remedy();
    }

    /** How to give a JVM at least twice the heap of this one. */
    public static String remedy() {
        long twice = 2 * (Runtime.getRuntime().maxMemory() / GIB + 1);
        return "give the JVM more memory, for example SHARDSIM_JAVA_OPTS=-Xmx" + Math.max(ADVISED_GIB_MIN, twice) + "g";
    }
}
