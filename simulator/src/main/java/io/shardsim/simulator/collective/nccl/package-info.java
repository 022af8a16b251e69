/**
 * NVIDIA's collective library: the algorithm, protocol, channels and chunks that it chooses, and the cost of a step.
 *
 * <p>Two kinds of constants are kept apart. NCCL's own <em>estimates</em>, by which it chooses (keys {@code tuner_*}), are copied from its source;
 * the <em>time</em> of a step is measured. A GPU has a file named like its architecture in {@code catalog/nccl/gpus}, a network one in
 * {@code catalog/nccl/networks}, which instances name; a plugin's tuner is in {@code catalog/nccl/tuners}. To add one, add a file
 * ({@link io.shardsim.simulator.collective.nccl.NcclCatalog}).
 *
 * <p>Not here: schedules (the package above), links, devices, virtual time.
 */
@NullMarked
package io.shardsim.simulator.collective.nccl;

import org.jspecify.annotations.NullMarked;
