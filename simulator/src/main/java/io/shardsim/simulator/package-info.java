/**
 * Happenings: what a training step plans to do, the devices that do it in virtual time, and what they announce.
 *
 * <p>This module uses {@code topology} and nothing to its right. Strategies and collectives know no devices, time or
 * actors; devices know no strategies; facts leave through observers.
 *
 * <p>This package itself: how files of the class path are found ({@link io.shardsim.simulator.ResourceDirectory}), so that a new one is one
 * more file; the package {@code catalog} reads them. One that is broken ends what needs it
 * ({@link io.shardsim.simulator.ClassPathException}).
 */
@NullMarked
package io.shardsim.simulator;

import org.jspecify.annotations.NullMarked;
