/**
 * NVIDIA's collective library: which algorithm, protocol, channels and chunks it chooses, and what a step then costs.
 *
 * <p>Two kinds of constants are kept apart. What NCCL <em>believes</em> when it chooses (keys {@code tuner_*}) is copied from its source;
 * what a step <em>takes</em> is measured. A GPU has a file named like its architecture in {@code catalog/nccl/gpus}, a network one in {@code
 * catalog/nccl/networks}, which instances name; a plugin's preferences are in {@code catalog/nccl/tuners}. A new one is one more file
 * ({@link io.shardsim.simulator.collective.nccl.NcclCatalog}).
 *
 * <p>Not here: schedules (the package above), links, devices, virtual time.
 */
@NullMarked
package io.shardsim.simulator.collective.nccl;

import org.jspecify.annotations.NullMarked;
