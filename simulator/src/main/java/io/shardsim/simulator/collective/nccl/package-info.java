/**
 * NVIDIA's collective library: which algorithm, protocol, channels and chunks it chooses, and what a step then costs.
 *
 * <p>Two kinds of constants are kept apart. What NCCL <em>believes</em> when it chooses (keys {@code tuner.*}) is copied from its source;
 * what a step <em>takes</em> is measured. A GPU has a file named like its architecture, an instance type a file named like its
 * family, each value with its unit and source; a new one is one more file.
 *
 * <p>Not here: schedules (the package above), links, devices, virtual time.
 */
@NullMarked
package io.shardsim.simulator.collective.nccl;

import org.jspecify.annotations.NullMarked;
