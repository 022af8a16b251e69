/**
 * Model: the shape of a transformer, its parameter tensors, its flops and the bytes that it saves for the backward pass. Counts only; their time on a
 * GPU is up to {@code io.shardsim.simulator.compute}.
 *
 * <p>Must not depend on GPUs, time, strategies, collectives or actors. To describe a new family of models, list its kinds of layers and their
 * operators in {@link io.shardsim.simulator.workload.Transformer}; a new operator is a record in {@link io.shardsim.simulator.workload.Operator}. A
 * plan cuts these lists into {@link io.shardsim.simulator.workload.Segments}.
 */
@NullMarked
package io.shardsim.simulator.workload;

import org.jspecify.annotations.NullMarked;
