package io.shardsim.simulator.kernel;

import java.util.Arrays;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Where the device that keeps the beat leaves the marks that it has reached and the loops that it goes through, and so makes the kernel look up. */
public final class MarkBoard {
    /** No operation. */
    static final int NONE = -1;

    private int[] marks = {};
    private int repeated = NONE;
    /** Null as long as nobody looks: state. */
    private @Nullable Runnable onPosted;

    private volatile boolean abandoned;

    private final long eventsMax;

    /** Of a run that may execute any number of events. */
    public MarkBoard() {
        this(Long.MAX_VALUE);
    }

    /** @param eventsMax events that the run may execute; it is given up at the next mark or repetition after more */
    public MarkBoard(long eventsMax) {
        this.eventsMax = eventsMax;
    }

    /** @throws EventLimitException when these are more events than the run may execute */
    void check(long executedEvents) {
        if (executedEvents > eventsMax) {
            throw new EventLimitException(eventsMax);
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

    /** Ends the run at the next mark: nobody waits for it any longer. May be called from any thread. */
    public void abandon() {
        abandoned = true;
    }

    /** Takes the marks down, in the order of the plan. */
    int[] take() {
        if (abandoned) {
            throw new CancellationException("the run was abandoned");
        }
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
