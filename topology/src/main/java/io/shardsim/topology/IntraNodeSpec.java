package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/**
 * What joins the GPUs of one node.
 *
 * @param perGpuRate payload rate of one GPU's NVLinks together, one direction
 * @param latencyPs one-way latency GPU to GPU [ps]
 */
public record IntraNodeSpec(Bandwidth perGpuRate, long latencyPs) {}
