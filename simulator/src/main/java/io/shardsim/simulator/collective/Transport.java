package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.topology.units.Bandwidth;

/**
 * How the communication library runs one collective: NCCL's protocol, channels and chunk steps, as constants of the mechanism.
 *
 * @param name protocol, for example {@code Simple}, {@code LL128}
 * @param channels thread blocks that share the buffer
 * @param chunkBytes maximum bytes per channel and round of an algorithm [bytes]
 * @param slices slices of a chunk, so that a step may begin before the whole chunk has arrived
 * @param delays fixed delays
 * @param rates rates of one channel's thread block
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
     * @param intraStepPs from the arrival of a slice's last bit over NVLink until the primitive acts on it [ps]
     * @param interStepPs the same for a slice from the network [ps]
     */
    public record Delays(long basePs, long intraStepPs, long interStepPs) {}

    /**
     * @param copy rate of receiving a slice and forwarding it
     * @param reduce rate of adding a slice to local data and forwarding the sum
     * @param store rate of storing a slice that is not forwarded
     */
    public record Rates(Bandwidth copy, Bandwidth reduce, Bandwidth store) {
        /** Returns the same rate for all three. */
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
     * Returns all channels merged into one, with the sum of their rates. That is exact, at a fraction of the events, if ranks run in lock step and
     * nothing else shares their links: then channels never differ.
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

    /** Returns the rate at which one channel's thread block runs a primitive. */
    public Bandwidth rate(Primitive primitive) {
        if (primitive.sendSlot() == ChannelProgram.NONE) {
            return rates.store;
        }
        return primitive.reduces() ? rates.reduce : rates.copy;
    }

    /** Returns the bytes on the wire for a payload, rounded up. */
    public long wireBytes(long bytes) {
        return wireRatio == 1 ? bytes : (long) Math.ceil(bytes * wireRatio);
    }
}
