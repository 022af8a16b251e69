/**
 * Devices as actors, and the plain objects that make them up.
 *
 * <p>A GPU runs the plan's operations on its streams and cuts collectives into chunks; NICs and switches book these chunks on output ports and pass
 * them on. Contention is a queue at a port, never a formula. Not here: strategies, algorithms, reports. A new device is one actor class and its line
 * in {@code Assembly}.
 */
package io.shardsim.simulator.device;
