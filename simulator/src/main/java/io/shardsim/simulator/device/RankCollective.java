package io.shardsim.simulator.device;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.ProgramLoops;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.topology.units.Bandwidth;

/**
 * Class of collective on one rank: a program and the paths to its peers, per channel.
 *
 * @param loops loops of each channel's program
 * @param paths paths by channel and send slot
 * @param receivePaces paces by channel and receive slot
 * @param sendPaces paces by channel and send slot
 * @param memoryRate rate of the GPU's memory
 * @param cacheRate rate of its L2 cache
 */
public record RankCollective(
        Transport transport,
        ChannelProgram[] programs,
        ProgramLoops[] loops,
        Path[][] paths,
        Pace[][] receivePaces,
        Pace[][] sendPaces,
        Bandwidth memoryRate,
        Bandwidth cacheRate) {
    /** Memory traffic per received byte: the peer's write, and two more to read and store it, or to read it and its addend. */
    private static final int MEMORY_BYTES_OF_RECEIVED = 3;

    /** L2 traffic per received byte: it is written by the peer, read, stored and sent on. */
    private static final int CACHE_BYTES_OF_RECEIVED = 4;

    /** L2 traffic per local byte: it is read and sent. */
    private static final int CACHE_BYTES_OF_OWN = 2;

    /** Returns SMs times the time that a slice holds them while the collective runs at the pace of this primitive's slower edge [ps]. */
    long heldPs(int channel, Primitive primitive, long bytes) {
        long heldPs = 0;
        if (primitive.receiveSlot() != ChannelProgram.NONE) {
            heldPs = receivePaces[channel][primitive.receiveSlot()].heldPs(bytes);
        }
        if (primitive.sendSlot() != ChannelProgram.NONE) {
            heldPs = Math.max(heldPs, sendPaces[channel][primitive.sendSlot()].heldPs(bytes));
        }
        return heldPs;
    }

    /** Returns the time that a slice keeps this GPU's memory busy [ps]. */
    long memoryPs(Primitive primitive, long bytes) {
        boolean receives = primitive.receiveSlot() != ChannelProgram.NONE;
        return memoryRate.serializationPs(receives ? MEMORY_BYTES_OF_RECEIVED * bytes : bytes);
    }

    /** Returns the time that a slice keeps this GPU's L2 cache busy [ps]. */
    long cachePs(Primitive primitive, long bytes) {
        boolean receives = primitive.receiveSlot() != ChannelProgram.NONE;
        return cacheRate.serializationPs((receives ? CACHE_BYTES_OF_RECEIVED : CACHE_BYTES_OF_OWN) * bytes);
    }

    public int channels() {
        return programs.length;
    }
}
