package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryFit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A run with some settings changed, and its result: the basis of advice.
 *
 * @param title the change in words, for example {@code Flash attention}
 * @param settings changed values as written in a scenario, by dotted key
 * @param fit how it fits in memory; not simulated if it does not
 * @param samplesPerSecond throughput; 0 if it does not fit, or was given up because it could not gain what advice must [1/s]
 * @param microBatch samples per GPU and micro-batch, set or chosen
 */
public record Trial(
        String title, Map<String, String> settings, MemoryFit fit, double samplesPerSecond, int microBatch) {
    public Trial {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /** Returns whether it was run to its end. */
    public boolean isDone() {
        return samplesPerSecond > 0;
    }
}
