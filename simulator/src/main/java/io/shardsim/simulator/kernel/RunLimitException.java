package io.shardsim.simulator.kernel;

/** A run that was given up because it would execute more events than it may, or end later. */
public final class RunLimitException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private RunLimitException(String message) {
        super(message);
    }

    /** Whether that happens depends on the run alone, not on the machine. */
    static RunLimitException ofEvents(long eventsMax) {
        return new RunLimitException("more than " + eventsMax + " events to execute");
    }

    /** @param endMaxPs the latest end that is of any use [ps] */
    public static RunLimitException ofEnd(long endMaxPs) {
        return new RunLimitException("ends later than " + endMaxPs + " ps, whatever happens");
    }
}
