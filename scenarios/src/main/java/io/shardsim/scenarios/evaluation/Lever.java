package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.Task;
import java.util.Map;

/**
 * A change of a training that may make it faster.
 *
 * @param title what changes, in words
 * @param settings the changed values as a scenario writes them, by dotted key
 * @param task the training with them
 */
record Lever(String title, Map<String, String> settings, Task.Training task) {}
