/**
 * One run from a cluster, a plan and cost models to a {@link io.shardsim.simulator.observation.StepObservation}: assembles devices, skips nodes that
 * are proven equal, advances the kernel, and collects totals.
 *
 * <p>Not here: where cluster, plan and models come from.
 */
package io.shardsim.simulator.run;
