/**
 * What is trained: the shape of a transformer, its parameter tensors, its flops and the bytes it keeps for the backward
 * pass. Counts only; how long a count takes on a GPU is the business of {@code io.shardsim.simulator.compute}.
 *
 * <p>Must not know GPUs, time, strategies, collectives or actors. To describe a new family of models, list its kinds
 * of layers and their operators in {@link io.shardsim.simulator.workload.Transformer}; one that no model had is a record in
 * {@link io.shardsim.simulator.workload.Operator}. A plan cuts these lists into {@link io.shardsim.simulator.workload.Segments}.
 */
@NullMarked
package io.shardsim.simulator.workload;

import org.jspecify.annotations.NullMarked;
