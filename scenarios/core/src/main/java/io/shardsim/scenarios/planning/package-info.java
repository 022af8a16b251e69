/**
 * Plans: which of the configurations that a scenario leaves open is best.
 *
 * <p>Here: what is free, which candidates follow, which of them memory or a proven bound rules out, and the ranking of those that were simulated. Not
 * here: how a point is simulated, how a plan is written. To let another key be free, add it to {@link
 * io.shardsim.scenarios.planning.SearchSpace}.
 */
@NullMarked
package io.shardsim.scenarios.planning;

import org.jspecify.annotations.NullMarked;
