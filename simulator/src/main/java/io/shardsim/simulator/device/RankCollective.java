package io.shardsim.simulator.device;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.protocol.Path;

/**
 * One class of collective as one rank runs it: a program and the paths to its peers for each channel.
 *
 * @param paths for each channel and send slot
 */
public record RankCollective(Transport transport, ChannelProgram[] programs, Path[][] paths) {
    public int channels() {
        return programs.length;
    }
}
