/**
 * Sharding strategies: which rank holds which state; what is communicated, in which group and precision; what waits for what.
 *
 * <p>Here: strategies, and their shared steps. They read a {@link io.shardsim.simulator.job.TrainingJob} and write a
 * {@link io.shardsim.simulator.plan.StepPlan}. Not here: links, devices, virtual time, Pekko. Code that runs or reports a plan does not depend on
 * this package.
 *
 * <p>To add a strategy, write one class that extends {@link io.shardsim.simulator.strategy.ShardingStrategy} and one file
 * {@code strategies/<kind>.yaml} that names it and declares its parameters ({@link io.shardsim.simulator.strategy.settings.StrategyParameters}); a
 * file that shares most of them with another {@code extends} it and adds the rest. Kinds with the same sharding and code base share a {@code family},
 * which is used to find similar published runs. Systems that gather parameters module by module extend {@code Stage3Step} and override its methods;
 * systems that keep all parameters extend {@code ReplicatedStep}; others write their step with
 * {@link io.shardsim.simulator.strategy.writing.StepWriter}. {@code StrategyContractTest} finds the file by itself.
 */
@NullMarked
package io.shardsim.simulator.strategy;

import org.jspecify.annotations.NullMarked;
