/**
 * Choices of the SageMaker distributed data parallelism library (SMDDP): when its own collectives run and when NCCL's do, on how many SMs and with
 * which buffers.
 *
 * <p>Here: its rules and constants. Not here: the schedules themselves, which are algorithms like others.
 */
@NullMarked
package io.shardsim.simulator.collective.smddp;

import org.jspecify.annotations.NullMarked;
