package io.shardsim.simulator.run;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When a run that skips repetition is given up.
 *
 * @param eventsMax events that it may execute
 * @param endMaxPs the latest end that is of any use; may become earlier while the run goes on. A run is given up once no run of its plan could end in time. Null where any end
 *     will do [ps]
 */
public record RunLimits(long eventsMax, @Nullable LongSupplier endMaxPs) {
    /** Never. */
    public static final RunLimits NONE = new RunLimits(Long.MAX_VALUE, null);

    public static RunLimits ofEnd(LongSupplier endMaxPs) {
        return new RunLimits(Long.MAX_VALUE, endMaxPs);
    }

    /** The same with no more events than these. */
    public RunLimits within(long otherEventsMax) {
        return new RunLimits(Math.min(eventsMax, otherEventsMax), endMaxPs);
    }
}
