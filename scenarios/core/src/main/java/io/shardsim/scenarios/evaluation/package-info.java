/**
 * Answers to scenario points: the micro-batch that fits, the run, the trials of other settings, benchmarks.
 *
 * <p>Here: where a scenario meets the simulator and becomes a result. Not here: models, files of the user, options of the command line.
 */
@NullMarked
package io.shardsim.scenarios.evaluation;

import org.jspecify.annotations.NullMarked;
