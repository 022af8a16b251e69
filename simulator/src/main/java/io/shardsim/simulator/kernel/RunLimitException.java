package io.shardsim.simulator.kernel;

/** A run that was given up because it would execute more events than it may, or end later. */
public final class RunLimitException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final long executedEvents;
    private final boolean late;

    private RunLimitException(String message, long executedEvents, boolean late) {
        super(message);
        this.executedEvents = executedEvents;
        this.late = late;
    }

    /** Events until then. */
    public long executedEvents() {
        return executedEvents;
    }

    /** Whether it would have ended too late, whatever it executes. */
    public boolean isLate() {
        return late;
    }

    /** Whether that happens depends on the run alone, not on the machine. */
    static RunLimitException ofEvents(long eventsMax, long executedEvents) {
        return new RunLimitException("more than " + eventsMax + " events to execute", executedEvents, false);
    }

    /** @param endMaxPs the latest end that is of any use [ps] */
    static RunLimitException ofEnd(long endMaxPs, long executedEvents) {
        return new RunLimitException("ends later than " + endMaxPs + " ps, whatever happens", executedEvents, true);
    }
}
