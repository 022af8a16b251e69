/**
 * Runs scenario points: the largest micro-batch that fits, the simulation, trials of other settings, benchmarks.
 *
 * <p>This package turns a scenario into a result with the simulator. It knows nothing about models, user files and command-line options.
 */
@NullMarked
package io.shardsim.scenarios.evaluation;

import org.jspecify.annotations.NullMarked;
