/**
 * One run from a cluster, a plan and cost models to a {@link io.shardsim.simulator.observation.StepObservation}: devices are assembled, nodes that
 * are proven equal are left out, the kernel advances, totals are collected.
 *
 * <p>Not here: where cluster, plan and models come from.
 */
package io.shardsim.simulator.run;
