/**
 * Facts that a run leaves behind: what every rank, stream and link did, in virtual time.
 *
 * <p>Here: records and their sums. Not here: what they mean; reports decide that.
 */
package io.shardsim.simulator.observation;
