package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import java.util.List;

/** The outcome of a point. */
sealed interface Answer {
    /** The point ran, or does not fit in memory. */
    record Done(RunResult result) implements Answer {}

    /**
     * The point is too large for the simulator, or for the member's memory.
     *
     * @param keys dotted scenario keys that make it large
     */
    record TooLarge(String why, List<String> keys) implements Answer {}

    /** The point violated an invariant of the model, as it would on any member. */
    record Failed(String why) implements Answer {}
}
