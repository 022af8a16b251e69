package io.shardsim.simulator.plan;

import io.shardsim.simulator.TooLargeException;
import java.util.Locale;
import java.util.concurrent.CancellationException;

/** Limit on the size of a plan, checked while it is written. */
public final class PlanSize {
    /** Maximum operations that the order of events can distinguish. */
    static final int OPERATIONS_MAX = (1 << 24) - 1;

    /** Upper estimate of the memory per operation of a plan and its run [bytes]. */
    private static final long BYTES = 400;

    private static final int LOOKS_UP_EVERY = 1 << 12;

    private PlanSize() {}

    /**
     * Checks the size; to be called for each operation added.
     *
     * @throws TooLargeException if the machine or the order of events cannot hold that many
     * @throws CancellationException if the thread was interrupted
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
     * Reports in advance that a plan will be too large.
     *
     * @param operations operations of the whole plan
     * @param what subject with that many operations
     * @param smaller remedy that makes it smaller
     * @param key dotted key of a scenario that makes it large
     * @throws TooLargeException if the machine or the order of events cannot hold that many
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
