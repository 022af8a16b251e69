/**
 * Sharding strategies: who holds what; what moves, among whom, in which precision; what must wait for what.
 *
 * <p>Here: strategies, and the steps that several of them share. They read a {@link io.shardsim.simulator.job.TrainingJob} and write a {@link
 * io.shardsim.simulator.plan.StepPlan}. Not here: links, devices, virtual time, Pekko. Nothing that runs or reports a plan knows this package.
 *
 * <p>To add a strategy, write one class that extends {@link io.shardsim.simulator.strategy.ShardingStrategy} and one
 * file {@code strategies/<kind>.yaml} that names it and declares its parameters
 * ({@link io.shardsim.simulator.strategy.settings.StrategyParameters}); a file that shares most of them with another {@code extends} it and writes the
 * others. Kinds that shard in the same way, in code of the same origin, name a {@code family}, by which published runs like a run are found.
 * Systems that gather parameters module by module extend
 * {@code Stage3Step} and depart from it; systems that keep all parameters extend {@code ReplicatedStep}; others write their step with
 * {@link io.shardsim.simulator.strategy.writing.StepWriter}. {@code StrategyContractTest} finds the file by itself.
 */
@NullMarked
package io.shardsim.simulator.strategy;

import org.jspecify.annotations.NullMarked;
