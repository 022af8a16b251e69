/**
 * Why a run takes as long as it does, by further runs: two runs compared, with the seconds that each difference costs.
 *
 * <p>Here: questions that several runs of changed scenarios answer, their text and JSON. A further question is a class with its answer as a record. Not here: how a point runs
 * ({@code evaluation}), which points are worth running to find the best ({@code planning}), options of the command line.
 */
@NullMarked
package io.shardsim.scenarios.explaining;

import org.jspecify.annotations.NullMarked;
