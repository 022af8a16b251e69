package io.shardsim.simulator.kernel;

/** Run aborted because it would exceed its limit on events or on the end time. */
public final class RunLimitException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final long executedEvents;
    private final boolean late;

    private RunLimitException(String message, long executedEvents, boolean late) {
        super(message);
        this.executedEvents = executedEvents;
        this.late = late;
    }

    /** Returns the number of events until the abort. */
    public long executedEvents() {
        return executedEvents;
    }

    /** Returns whether the run would have ended too late. */
    public boolean isLate() {
        return late;
    }

    /** Creates an abort for too many events, which depends on the run alone, not on the machine. */
    static RunLimitException ofEvents(long eventsMax, long executedEvents) {
        return new RunLimitException("more than " + eventsMax + " events to execute", executedEvents, false);
    }

    /** @param endMaxPs latest useful end [ps] */
    static RunLimitException ofEnd(long endMaxPs, long executedEvents) {
        return new RunLimitException("ends later than " + endMaxPs + " ps, whatever happens", executedEvents, true);
    }
}
