/**
 * Simulation: the plan of a training step, the devices that execute it in virtual time, and the events they report.
 *
 * <p>This module uses {@code topology} and nothing to its right. Strategies and collectives know no devices, time or actors; devices know no
 * strategies; results leave through observers.
 *
 * <p>This package itself finds resource files on the class path ({@link io.shardsim.simulator.ResourceDirectory}), so that adding an entry is adding
 * a file; the package {@code catalog} reads them. A broken file fails whatever needs it ({@link io.shardsim.simulator.ClassPathException}).
 */
@NullMarked
package io.shardsim.simulator;

import org.jspecify.annotations.NullMarked;
