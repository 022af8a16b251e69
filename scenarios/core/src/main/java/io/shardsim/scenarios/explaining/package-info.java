/**
 * Explains a run's time by further runs: for example compares two runs and prices each difference.
 *
 * <p>This package answers questions with several runs of changed scenarios, as text and JSON. A further question is a class with its answer as a
 * record. How a point runs is in {@code evaluation}, which points are worth running in {@code planning}; command-line options are elsewhere.
 */
@NullMarked
package io.shardsim.scenarios.explaining;

import org.jspecify.annotations.NullMarked;
