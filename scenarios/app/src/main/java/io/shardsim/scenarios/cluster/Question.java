package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.scenario.ScenarioPoint;

/**
 * A request to run a point on a member.
 *
 * @param options the command's options; the member's own number of threads applies
 */
record Question(ScenarioPoint point, RunOptions options) {}
