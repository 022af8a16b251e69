/**
 * How long the kernels of a training step take on a GPU.
 *
 * <p>Three inputs, each its own file: the kernels of a transformer under a framework ({@link io.shardsim.simulator.compute.FrameworkProfile},
 * {@link io.shardsim.simulator.compute.LayerKernels}), the time of a kernel ({@link io.shardsim.simulator.compute.RooflineKernelTime}), and the
 * fitted coefficients of a GPU family ({@link io.shardsim.simulator.compute.GpuCalibration}). {@link io.shardsim.simulator.compute.TransformerTimes}
 * combines them; planners ask it.
 *
 * <p>Must not depend on strategies, collectives, actors or links: communication of tensor parallelism is added by the strategy.
 *
 * <p>To add a GPU: one file in {@code catalog/compute}, named after the GPU or its architecture, every value with unit and source. To add a
 * framework: one file in {@code catalog/frameworks}, which refers to files of its folders for what frameworks share.
 */
@NullMarked
package io.shardsim.simulator.compute;

import org.jspecify.annotations.NullMarked;
