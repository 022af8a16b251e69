package io.shardsim.simulator.plan;

import io.shardsim.simulator.TooLargeException;
import java.util.Locale;
import java.util.concurrent.CancellationException;

/** How large a plan may get, and when whoever writes one looks up. */
public final class PlanSize {
    /** Operations that the order of events can tell apart. */
    static final int OPERATIONS_MAX = (1 << 24) - 1;

    /** Memory of one operation of a plan with what its run keeps of it: an upper estimate [bytes]. */
    private static final long BYTES = 400;

    private static final int LOOKS_UP_EVERY = 1 << 12;

    private PlanSize() {}

    /**
     * To be called for each operation that is added.
     *
     * @throws TooLargeException when the machine or the order of events cannot hold so many
     * @throws CancellationException when the thread was interrupted
     */
    static void grownTo(int operations) {
        if (operations % LOOKS_UP_EVERY == 0) {
            if (Thread.currentThread().isInterrupted()) {
                throw new CancellationException("interrupted while planning");
            }
            foresee(
                    operations,
                    "the plan of a step",
                    "a smaller global_batch, a larger micro_batch or larger buckets",
                    "training.global_batch");
        }
    }

    /**
     * Says beforehand that a plan will be too large.
     *
     * @param operations of the whole plan
     * @param what has so many operations
     * @param smaller what makes it smaller
     * @param key of a scenario that makes it large, dotted
     * @throws TooLargeException when the machine or the order of events cannot hold so many
     */
    public static void foresee(long operations, String what, String smaller, String key) {
        long heapOperations = Runtime.getRuntime().maxMemory() / BYTES;
        if (operations > OPERATIONS_MAX) {
            throw new TooLargeException(
                    what + " has " + millions(operations) + " operations > " + millions(OPERATIONS_MAX) + "; write "
                            + smaller,
                    key);
        }
        if (operations > heapOperations) {
            throw new TooLargeException(
                    what + " has " + millions(operations) + " operations > "
                            + millions(heapOperations) + ", the limit of a heap of "
                            + Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB; write " + smaller
                            + ", or set SHARDSIM_JAVA_OPTS=-Xmx" + (operations * BYTES / (1 << 30) + 1) + "g",
                    key);
        }
    }

    private static String millions(long operations) {
        return String.format(Locale.ROOT, "%.1f million", operations / 1e6);
    }
}
