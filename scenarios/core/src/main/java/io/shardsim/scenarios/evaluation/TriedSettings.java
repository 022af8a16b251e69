package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.util.Map;
import java.util.Optional;

/**
 * A change of a training that may make it faster, or give it room.
 *
 * @param title what changes, in words
 * @param settings the changed values as a scenario writes them, by dotted key
 * @param point the question with them
 */
record TriedSettings(String title, Map<String, String> settings, ScenarioPoint point) {
    static final String MICRO_BATCH = "training.micro_batch";

    /** The change of a point, with its own micro-batch where it can have that, else with the largest that fits; empty where it cannot be. */
    static Optional<TriedSettings> of(String title, ScenarioPoint point, Map<String, String> settings) {
        try {
            return Optional.of(new TriedSettings(title, settings, point.with(settings)));
        } catch (InputException refused) {
            return point.given().containsKey(MICRO_BATCH) ? ofOpen(title, point, settings) : Optional.empty();
        }
    }

    /** The same with the largest micro-batch that fits. */
    static Optional<TriedSettings> ofOpen(String title, ScenarioPoint point, Map<String, String> settings) {
        try {
            return Optional.of(new TriedSettings(title, settings, point.with(settings, MICRO_BATCH)));
        } catch (InputException refused) {
            return Optional.empty();
        }
    }
}
