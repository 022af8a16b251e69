package io.shardsim.simulator.device;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.topology.units.Bandwidth;

/**
 * One class of collective as one rank runs it: a program and the paths to its peers for each channel.
 *
 * @param paths for each channel and send slot
 * @param stepLatencyPs latency of the slowest edge of the collective [ps]
 * @param stepRate payload rate that the slowest edge leaves to one channel
 */
public record RankCollective(
        Transport transport, ChannelProgram[] programs, Path[][] paths, long stepLatencyPs, Bandwidth stepRate) {

    /** Time that a thread block is held by a slice while the collective runs at the pace of its slowest edge, on idle links [ps]. */
    long heldPs(long bytes) {
        return stepLatencyPs + stepRate.serializationPs(bytes);
    }

    public int channels() {
        return programs.length;
    }
}
