package io.shardsim.simulator.kernel;

import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Board on which the leading device posts the marks that it has reached and its loop rounds, which alerts the kernel. */
public final class MarkBoard {
    /** Value for no operation. */
    static final int NONE = -1;

    private int[] marks = {};
    private int repeated = NONE;
    /** Listener; null while there is none: state. */
    private @Nullable Runnable onPosted;

    private final RunControl pulse = new RunControl();
    private final long eventsMax;
    private final LongSupplier endMaxPs;
    /** Minimum time left from each mark to the end of the run [ps]; empty without such a bound. */
    private final long[] leastLeftPs;

    /** Creates a board for a run without limits. */
    public MarkBoard() {
        this(Long.MAX_VALUE, () -> Long.MAX_VALUE, new long[0]);
    }

    /**
     * @param eventsMax maximum events; the run is aborted at the next mark or repetition after more
     * @param endMaxPs latest useful end; queried at every mark, where a run that must end later is aborted [ps]
     * @param leastLeftPs minimum time left from each mark to the end of the run; empty without such a bound [ps]
     */
    public MarkBoard(long eventsMax, LongSupplier endMaxPs, long[] leastLeftPs) {
        this.eventsMax = eventsMax;
        this.endMaxPs = endMaxPs;
        this.leastLeftPs = leastLeftPs;
    }

    /** @throws RunLimitException if these are more events than the run may execute, or it cannot end in time */
    void check(long executedEvents, long nowPs) {
        if (executedEvents > eventsMax) {
            throw RunLimitException.ofEvents(eventsMax, executedEvents);
        }
        if (leastLeftPs.length > 0) {
            for (int mark : marks) {
                long latestPs = endMaxPs.getAsLong();
                if (nowPs + leastLeftPs[mark] > latestPs) {
                    throw RunLimitException.ofEnd(latestPs, executedEvents);
                }
            }
        }
    }

    void bind(Runnable onPosted) {
        this.onPosted = onPosted;
    }

    public void post(int[] reached) {
        if (onPosted == null) {
            return;
        }
        int first = marks.length;
        marks = Arrays.copyOf(marks, first + reached.length);
        System.arraycopy(reached, 0, marks, first, reached.length);
        onPosted.run();
    }

    /** Posts that a loop within an operation starts another round. */
    public void postRepetition(int operation) {
        if (onPosted != null) {
            repeated = operation;
            onPosted.run();
        }
    }

    /** Returns the progress of the run. */
    public RunControl pulse() {
        return pulse;
    }

    /** Takes the posted marks, in plan order. */
    int[] take() {
        pulse.check();
        int[] taken = marks;
        marks = new int[0];
        return taken;
    }

    /** Takes the operation with a new loop round, {@link #NONE} if there is none. */
    int takeRepeated() {
        int taken = repeated;
        repeated = NONE;
        return taken;
    }
}
