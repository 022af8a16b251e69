/**
 * Results of a run: the activity of every rank, stream and link, in virtual time.
 *
 * <p>Here: records and their sums. Not here: their interpretation, which is up to reports.
 */
package io.shardsim.simulator.observation;
