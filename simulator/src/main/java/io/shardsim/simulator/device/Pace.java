package io.shardsim.simulator.device;

import io.shardsim.topology.units.Bandwidth;

/**
 * Pace of one kind of edge of a collective on idle links, and the SMs that it holds.
 *
 * @param latencyPs time from one rank's send to the next one's use, if both are on time [ps]
 * @param rate payload rate of one channel of one rank on this edge
 * @param multiprocessors SMs that a channel holds while a slice is in flight
 */
public record Pace(long latencyPs, Bandwidth rate, int multiprocessors) {

    /** Returns the time of a slice from rank to rank [ps]. */
    long slicePs(long bytes) {
        return latencyPs + rate.serializationPs(bytes);
    }

    /** Returns SMs times the time that a slice holds them [ps]. */
    long heldPs(long bytes) {
        return slicePs(bytes) * multiprocessors;
    }
}
