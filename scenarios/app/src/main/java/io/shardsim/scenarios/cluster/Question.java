package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.scenario.ScenarioPoint;

/**
 * What a member is asked to run.
 *
 * @param options those of the command; the member runs as many at once as it is told itself
 */
record Question(ScenarioPoint point, RunOptions options) {}
