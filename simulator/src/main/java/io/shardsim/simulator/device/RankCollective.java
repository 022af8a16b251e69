package io.shardsim.simulator.device;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.ProgramLoops;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.topology.units.Bandwidth;

/**
 * One class of collective as one rank runs it: a program and the paths to its peers for each channel.
 *
 * @param loops of each channel's program
 * @param paths for each channel and send slot
 * @param receivePaces for each channel and receive slot
 * @param sendPaces for each channel and send slot
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
    /** What a received byte costs the memory: the peer's write, and two more to read it and to store it, or to read it and what it is added to. */
    private static final int MEMORY_BYTES_OF_RECEIVED = 3;

    /** How often a received byte passes the L2 cache: as the peer writes it, as it is read, stored and sent on. */
    private static final int CACHE_BYTES_OF_RECEIVED = 4;

    /** The same of a byte that is at hand: as it is read and sent. */
    private static final int CACHE_BYTES_OF_OWN = 2;

    /** Multiprocessors times the time that a slice holds them while the collective runs at the pace of this primitive's slower edge [ps]. */
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

    /** Time that a slice keeps this GPU's memory busy [ps]. */
    long memoryPs(Primitive primitive, long bytes) {
        boolean receives = primitive.receiveSlot() != ChannelProgram.NONE;
        return memoryRate.serializationPs(receives ? MEMORY_BYTES_OF_RECEIVED * bytes : bytes);
    }

    /** Time that a slice keeps this GPU's L2 cache busy [ps]. */
    long cachePs(Primitive primitive, long bytes) {
        boolean receives = primitive.receiveSlot() != ChannelProgram.NONE;
        return cacheRate.serializationPs((receives ? CACHE_BYTES_OF_RECEIVED : CACHE_BYTES_OF_OWN) * bytes);
    }

    public int channels() {
        return programs.length;
    }
}
