package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import java.util.List;

/** What came of a point. */
sealed interface Answer {
    /** It ran, or does not fit in memory. */
    record Done(RunResult result) implements Answer {}

    /**
     * It is larger than the simulator, or the memory of the member, can bear.
     *
     * @param keys of the scenario that make it large, dotted
     */
    record TooLarge(String why, List<String> keys) implements Answer {}

    /** It broke a rule of the model, wherever it would have run. */
    record Failed(String why) implements Answer {}
}
