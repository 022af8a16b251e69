/**
 * Topology: clusters, nodes, GPUs, NICs, switches, the links between them and the routes over these links.
 *
 * <p>Here: immutable descriptions. Not here: anything that happens in time. A new instance type is one YAML file of the catalog; a new cluster family
 * is one file that builds {@link io.shardsim.topology.Route}s.
 */
package io.shardsim.topology;
