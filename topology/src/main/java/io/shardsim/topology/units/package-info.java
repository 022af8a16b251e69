/**
 * Bytes, rates and instants: the only place where bytes become time.
 *
 * <p>Here: quantities with their units, parsed from and printed as text in one way. Not here: anything that knows a device. To add a
 * unit, add it to the table of the quantity it measures.
 */
package io.shardsim.topology.units;
