/**
 * Bytes, rates and instants: the only place where bytes become time.
 *
 * <p>Here: quantities with their units, and one way to parse and print them. Not here: anything that knows a device. To add a unit, add it to the
 * table of its quantity.
 */
package io.shardsim.topology.units;
