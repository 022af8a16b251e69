/**
 * Plans: finds the best of the configurations that a scenario leaves open.
 *
 * <p>This package lists what is free and which candidates follow, rules out candidates by memory or a proven bound, and ranks those simulated. It
 * neither simulates points nor writes plans. To let another key be free, add it to {@link io.shardsim.scenarios.planning.SearchSpace}.
 */
@NullMarked
package io.shardsim.scenarios.planning;

import org.jspecify.annotations.NullMarked;
