/**
 * Sharding strategies: who holds what; what moves, among whom, in which precision; what must wait for what.
 *
 * <p>Here: plans of compute and collective operations. Not here: links, devices, virtual time, Pekko. To add a strategy, write one class
 * that implements {@link io.shardsim.simulator.strategy.ShardingStrategy} and one file {@code strategies/<kind>.yaml} that names it.
 */
package io.shardsim.simulator.strategy;
