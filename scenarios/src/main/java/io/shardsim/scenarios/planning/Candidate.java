package io.shardsim.scenarios.planning;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One configuration.
 *
 * @param settings what is chosen in it, by dotted key, as a scenario file writes it
 * @param point the same resolved, its micro-batch included
 */
public record Candidate(Map<String, String> settings, ScenarioPoint point) {
    public Candidate {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    Task.Training task() {
        return (Task.Training) point.task();
    }

    /** Of its strategy, as scenarios write it. */
    public String kind() {
        return task().strategy().kind();
    }

    /** Of its strategy, for people. */
    String title() {
        return task().strategy().descriptor().title();
    }

    int nodes() {
        return point.cluster().nodes();
    }

    /** Tokens of a training step. */
    double tokens() {
        return (double) task().globalBatch() * task().sequenceLength();
    }
}
