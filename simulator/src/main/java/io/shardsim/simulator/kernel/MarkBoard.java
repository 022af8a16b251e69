package io.shardsim.simulator.kernel;

import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Where the device that keeps the beat leaves the marks that it has reached and the loops that it goes through, and so makes the kernel look up. */
public final class MarkBoard {
    /** No operation. */
    static final int NONE = -1;

    private int[] marks = {};
    private int repeated = NONE;
    /** Null as long as nobody looks: state. */
    private @Nullable Runnable onPosted;

    private final RunControl pulse = new RunControl();
    private final long eventsMax;
    private final LongSupplier endMaxPs;
    /** For each mark, the least time from then on to the end of the run [ps]; empty where the run may end at any time. */
    private final long[] leastLeftPs;

    /** Of a run that may execute any number of events. */
    public MarkBoard() {
        this(Long.MAX_VALUE, () -> Long.MAX_VALUE, new long[0]);
    }

    /**
     * @param eventsMax events that the run may execute; it is given up at the next mark or repetition after more
     * @param endMaxPs the latest end that is of any use; asked at every mark, at which the run is given up where it will end later [ps]
     * @param leastLeftPs for each mark, the least time from then on to the end of the run; empty where it may end at any time [ps]
     */
    public MarkBoard(long eventsMax, LongSupplier endMaxPs, long[] leastLeftPs) {
        this.eventsMax = eventsMax;
        this.endMaxPs = endMaxPs;
        this.leastLeftPs = leastLeftPs;
    }

    /** @throws RunLimitException when these are more events than the run may execute, or it cannot end in time */
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

    /** A loop within an operation begins once more. */
    public void postRepetition(int operation) {
        if (onPosted != null) {
            repeated = operation;
            onPosted.run();
        }
    }

    /** How far the run is. */
    public RunControl pulse() {
        return pulse;
    }

    /** Takes the marks down, in the order of the plan. */
    int[] take() {
        pulse.check();
        int[] taken = marks;
        marks = new int[0];
        return taken;
    }

    /** Takes down the operation within which a loop begins once more, {@link #NONE} when there is none. */
    int takeRepeated() {
        int taken = repeated;
        repeated = NONE;
        return taken;
    }
}
