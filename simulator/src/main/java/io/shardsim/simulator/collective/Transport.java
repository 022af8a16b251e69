package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.topology.units.Bandwidth;

/**
 * How the communication library carries one collective: what NCCL calls protocol, channels and chunk steps, as mechanism constants.
 *
 * @param name protocol, for example {@code Simple}, {@code LL128}
 * @param channels thread blocks that share the buffer
 * @param chunkBytes largest piece of a channel that one round of an algorithm moves [bytes]
 * @param slices slices that a chunk is cut into, so that a step may begin before the whole chunk arrived
 * @param basePs from the moment a rank's stream reaches the collective to its first primitive [ps]
 * @param intraStepPs from the last bit of a slice arriving over NVLink to the primitive acting on it [ps]
 * @param interStepPs the same when it came over the network [ps]
 * @param copyRate rate at which one channel's thread block copies a slice on to its peer
 * @param reduceRate rate at which one channel's thread block adds a slice to local data and passes the sum on
 * @param storeRate rate at which one channel's thread block stores a slice that it does not pass on
 * @param wireRatio bytes on the wire over payload bytes: 2 for LL, 16/15 for LL128, 1 for Simple
 * @param smPerChannel streaming multiprocessors that a channel occupies while the collective runs
 */
public record Transport(
        String name,
        int channels,
        long chunkBytes,
        int slices,
        long basePs,
        long intraStepPs,
        long interStepPs,
        Bandwidth copyRate,
        Bandwidth reduceRate,
        Bandwidth storeRate,
        double wireRatio,
        int smPerChannel) {

    /**
     * All channels as one. Where ranks meet in lock step and nothing else shares their links, channels never differ, and one stands for all of
     * them with their rates added up, at a fraction of the events.
     */
    public Transport asOneChannel() {
        return new Transport(
                name,
                1,
                chunkBytes * channels,
                slices,
                basePs,
                intraStepPs,
                interStepPs,
                copyRate.times(channels),
                reduceRate.times(channels),
                storeRate.times(channels),
                wireRatio,
                smPerChannel * channels);
    }

    /** Rate at which one channel's thread block gets through a primitive. */
    public Bandwidth rate(Primitive primitive) {
        if (primitive.sendSlot() == ChannelProgram.NONE) {
            return storeRate;
        }
        return primitive.reduces() ? reduceRate : copyRate;
    }

    /** Bytes on the wire for bytes of payload, rounded up. */
    public long wireBytes(long bytes) {
        return wireRatio == 1 ? bytes : (long) Math.ceil(bytes * wireRatio);
    }
}
