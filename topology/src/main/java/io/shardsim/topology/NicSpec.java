package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/**
 * A network interface.
 *
 * @param lineRate data-sheet rate of a direction
 * @param effectiveRate payload rate that a direction sustains with message-sized chunks
 * @param latencyPs one-way time from a send request to the first bit leaving, plus receive completion, beyond the switches [ps]
 * @param perMessagePs time each message holds the NIC in addition to its bytes [ps]
 * @param gpuDirect true when the NIC reads and writes GPU memory without staging in host memory
 */
public record NicSpec(
        Bandwidth lineRate, Bandwidth effectiveRate, long latencyPs, long perMessagePs, boolean gpuDirect) {}
