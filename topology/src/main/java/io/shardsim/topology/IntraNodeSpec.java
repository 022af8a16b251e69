package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/**
 * Links between the GPUs of one node.
 *
 * @param lineRate data-sheet rate of one GPU's NVLinks together, one direction
 * @param perGpuRate payload rate of one GPU's NVLinks together, one direction
 * @param latencyPs one-way latency GPU to GPU [ps]
 * @param links where these NVLinks lead
 */
public record IntraNodeSpec(Bandwidth lineRate, Bandwidth perGpuRate, long latencyPs, NvLinks links) {
    /** Creates links without protocol overhead. */
    public IntraNodeSpec(Bandwidth perGpuRate, long latencyPs, NvLinks links) {
        this(perGpuRate, perGpuRate, latencyPs, links);
    }

    /** Creates switched links without protocol overhead. */
    public IntraNodeSpec(Bandwidth perGpuRate, long latencyPs) {
        this(perGpuRate, latencyPs, NvLinks.SWITCH);
    }
}
