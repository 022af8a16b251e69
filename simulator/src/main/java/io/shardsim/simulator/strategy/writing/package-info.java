/**
 * Code shared by all strategies: the forward and backward of a layer with their memory, tensor and context parallelism within it, offloading to the
 * host, the groups of ranks of a job.
 *
 * <p>Strategies use {@link io.shardsim.simulator.strategy.writing.StepWriter}, {@link io.shardsim.simulator.strategy.writing.HostOffload} and
 * {@link io.shardsim.simulator.strategy.writing.ShardGroups}. Must not depend on any strategy, or on which rank holds which shard.
 */
@NullMarked
package io.shardsim.simulator.strategy.writing;

import org.jspecify.annotations.NullMarked;
