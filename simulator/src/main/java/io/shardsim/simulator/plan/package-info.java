/**
 * One training step as a plan: the words in which a strategy says it, and in which devices, observers and reports read it.
 *
 * <p>Here: operations and the streams they run on, the groups of ranks that take part, the work of a rank, who holds memory, and what a plan holds at its
 * peak. Not here: who writes a plan, what is trained, how long work takes ({@link
 * io.shardsim.simulator.plan.WorkTimes} only asks). A new kind of work or stream starts in {@link
 * io.shardsim.simulator.plan.Work} or {@link io.shardsim.simulator.plan.Stream}; compute times and reports follow.
 */
@NullMarked
package io.shardsim.simulator.plan;

import org.jspecify.annotations.NullMarked;
