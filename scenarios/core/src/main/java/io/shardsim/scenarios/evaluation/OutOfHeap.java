package io.shardsim.scenarios.evaluation;

/** Recognizes a full heap in a run's failure, and says what to do about it. */
public final class OutOfHeap {
    private static final long GIB = 1L << 30;
    private static final long ADVISED_GIB_MIN = 8;

    /** Limit on the chain of causes, which may be cyclic. */
    private static final int DEPTH_MAX = 100;

    private OutOfHeap() {}

    /** Returns whether a failure is an OutOfMemoryError, or caused by one. Allocates nothing. */
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

    /** Returns what is wrong, with an option for a larger heap. */
    public static String words() {
        return "the simulator itself ran out of memory; " + remedy();
    }

    /** Returns how to give a JVM at least twice this heap. */
    public static String remedy() {
        long twice = 2 * (Runtime.getRuntime().maxMemory() / GIB + 1);
        return "give the JVM more memory, for example SHARDSIM_JAVA_OPTS=-Xmx" + Math.max(ADVISED_GIB_MIN, twice) + "g";
    }
}
