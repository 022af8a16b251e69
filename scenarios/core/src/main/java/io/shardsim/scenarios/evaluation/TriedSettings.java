package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.util.Map;
import java.util.Optional;

/**
 * A change to a training that may make it faster or free memory.
 *
 * @param title the change, in words
 * @param settings the changed values as written in a scenario, by dotted key
 * @param point the changed point
 */
record TriedSettings(String title, Map<String, String> settings, ScenarioPoint point) {
    static final String MICRO_BATCH = "training.micro_batch";

    /** Returns a change of a point, keeping its micro-batch if that fits, else with the largest that fits; empty if the change is impossible. */
    static Optional<TriedSettings> of(String title, ScenarioPoint point, Map<String, String> settings) {
        try {
            return Optional.of(new TriedSettings(title, settings, point.with(settings)));
        } catch (InputException refused) {
            return point.given().containsKey(MICRO_BATCH) ? ofOpen(title, point, settings) : Optional.empty();
        }
    }

    /** Returns a change of a point with the largest micro-batch that fits; empty if the change is impossible. */
    static Optional<TriedSettings> ofOpen(String title, ScenarioPoint point, Map<String, String> settings) {
        try {
            return Optional.of(new TriedSettings(title, settings, point.with(settings, MICRO_BATCH)));
        } catch (InputException refused) {
            return Optional.empty();
        }
    }
}
