/**
 * Plan of one training step: written by a strategy, read by devices, observers and reports.
 *
 * <p>Here: operations and the streams they run on, the participating groups of ranks, the work of a rank, memory owners, and peak memory. Not here:
 * who writes a plan, what is trained, how long work takes ({@link io.shardsim.simulator.plan.WorkTimes} is only the interface). A new kind of work or
 * stream starts in {@link io.shardsim.simulator.plan.Work} or {@link io.shardsim.simulator.plan.Stream}; compute times and reports follow.
 */
@NullMarked
package io.shardsim.simulator.plan;

import org.jspecify.annotations.NullMarked;
