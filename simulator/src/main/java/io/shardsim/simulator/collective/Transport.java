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
 * @param delays what passes beside the bytes
 * @param rates what one channel's thread block moves
 * @param wireRatio bytes on the wire over payload bytes: 2 for LL, 16/15 for LL128, 1 for Simple
 * @param smPerChannel SMs that a channel occupies while the collective runs
 */
public record Transport(
        String name,
        int channels,
        long chunkBytes,
        int slices,
        Delays delays,
        Rates rates,
        double wireRatio,
        int smPerChannel) {

    /**
     * @param basePs from the moment a rank's stream reaches the collective to its first primitive [ps]
     * @param intraStepPs from the last bit of a slice arriving over NVLink to the primitive acting on it [ps]
     * @param interStepPs the same when it came over the network [ps]
     */
    public record Delays(long basePs, long intraStepPs, long interStepPs) {}

    /**
     * @param copy rate at which a slice is copied on to the peer
     * @param reduce rate at which a slice is added to local data and the sum passed on
     * @param store rate at which a slice is stored that is not passed on
     */
    public record Rates(Bandwidth copy, Bandwidth reduce, Bandwidth store) {
        /** The same rate for all. */
        public static Rates all(Bandwidth rate) {
            return new Rates(rate, rate, rate);
        }

        Rates times(int channels) {
            return new Rates(copy.times(channels), reduce.times(channels), store.times(channels));
        }
    }

    public long basePs() {
        return delays.basePs;
    }

    public long intraStepPs() {
        return delays.intraStepPs;
    }

    public long interStepPs() {
        return delays.interStepPs;
    }

    public Bandwidth copyRate() {
        return rates.copy;
    }

    public Bandwidth reduceRate() {
        return rates.reduce;
    }

    public Bandwidth storeRate() {
        return rates.store;
    }

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
                delays,
                rates.times(channels),
                wireRatio,
                smPerChannel * channels);
    }

    /** Rate at which one channel's thread block gets through a primitive. */
    public Bandwidth rate(Primitive primitive) {
        if (primitive.sendSlot() == ChannelProgram.NONE) {
            return rates.store;
        }
        return primitive.reduces() ? rates.reduce : rates.copy;
    }

    /** Bytes on the wire for bytes of payload, rounded up. */
    public long wireBytes(long bytes) {
        return wireRatio == 1 ? bytes : (long) Math.ceil(bytes * wireRatio);
    }
}
