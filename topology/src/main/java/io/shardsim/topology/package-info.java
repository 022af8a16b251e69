/**
 * Places: clusters, nodes, GPUs, NICs, switches, ports, links and the routes between them, and the units they are
 * measured in.
 *
 * <p>What lives here is immutable and knows no events, actors or strategies. Bytes become time in
 * {@code io.shardsim.topology.units.Bandwidth} alone. This package uses no other module of shardsim.
 */
@NullMarked
package io.shardsim.topology;

import org.jspecify.annotations.NullMarked;
