package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryFit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A run with some settings changed, and what it came to: what advice is made of.
 *
 * @param title what was changed, in words, for example {@code Flash attention}
 * @param settings the changed values as a scenario writes them, by dotted key
 * @param fit how it fits in memory; what does not was not simulated
 * @param samplesPerSecond 0 where it does not fit, or was given up since it could not gain what advice must [1/s]
 * @param microBatch samples per GPU per forward-backward, given or chosen
 */
public record Trial(
        String title, Map<String, String> settings, MemoryFit fit, double samplesPerSecond, int microBatch) {
    public Trial {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /** Whether it was run to its end. */
    public boolean isDone() {
        return samplesPerSecond > 0;
    }
}
