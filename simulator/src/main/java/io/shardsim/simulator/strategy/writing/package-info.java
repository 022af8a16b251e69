/**
 * What all strategies write the same way: the forward and backward of a layer with the memory they take, tensor and context parallelism within it,
 * offloading to the host, the groups of ranks that a job makes.
 *
 * <p>Strategies use {@link io.shardsim.simulator.strategy.writing.StepWriter}, {@link io.shardsim.simulator.strategy.writing.HostOffload} and {@link
 * io.shardsim.simulator.strategy.writing.ShardGroups}. Must not know any strategy, or who holds which shard.
 */
@NullMarked
package io.shardsim.simulator.strategy.writing;

import org.jspecify.annotations.NullMarked;
