package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.Task;
import io.shardsim.topology.Cluster;
import java.util.Map;

/**
 * A change of a training that may make it faster, or give it room.
 *
 * @param title what changes, in words
 * @param settings the changed values as a scenario writes them, by dotted key
 * @param cluster where it runs then
 * @param task the training with them
 */
record Lever(String title, Map<String, String> settings, Cluster cluster, Task.Training task) {}
