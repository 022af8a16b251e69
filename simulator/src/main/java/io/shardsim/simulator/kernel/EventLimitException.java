package io.shardsim.simulator.kernel;

/** A run that was given up because it would execute more events than it may. Whether that happens depends on the run alone, not on the machine. */
public final class EventLimitException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    EventLimitException(long eventsMax) {
        super("more than " + eventsMax + " events to execute");
    }
}
