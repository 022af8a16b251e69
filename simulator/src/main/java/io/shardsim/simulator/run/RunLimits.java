package io.shardsim.simulator.run;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits at which a run that skips repetition is aborted.
 *
 * @param eventsMax maximum events executed
 * @param endMaxPs latest useful end; may become earlier during the run. A run is aborted once no run of its plan could end in time. Null for no limit
 *     [ps]
 */
public record RunLimits(long eventsMax, @Nullable LongSupplier endMaxPs) {
    /** No limits. */
    public static final RunLimits NONE = new RunLimits(Long.MAX_VALUE, null);

    public static RunLimits ofEnd(LongSupplier endMaxPs) {
        return new RunLimits(Long.MAX_VALUE, endMaxPs);
    }

    /** Returns these limits with at most that many events. */
    public RunLimits within(long otherEventsMax) {
        return new RunLimits(Math.min(eventsMax, otherEventsMax), endMaxPs);
    }
}
