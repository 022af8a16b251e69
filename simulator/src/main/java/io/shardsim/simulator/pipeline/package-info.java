/**
 * Pipeline schedules: the order in which a stage processes the micro-batches of a training step.
 *
 * <p>Must not depend on models, strategies or plans. To add a schedule, write one class that implements
 * {@link io.shardsim.simulator.pipeline.PipelineSchedule} and one file {@code schedules/<name>.yaml} that names it. {@code PipelineTest} finds the
 * file by itself.
 */
@NullMarked
package io.shardsim.simulator.pipeline;

import org.jspecify.annotations.NullMarked;
