package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/**
 * PCIe switches of a node; GPUs and NICs are assigned to them evenly, in order.
 *
 * @param switches number of switches per node
 * @param linkRate payload rate of one x16 link, one direction
 * @param latencyPs one-way latency of one link [ps]
 */
public record PcieSpec(int switches, Bandwidth linkRate, long latencyPs) {}
