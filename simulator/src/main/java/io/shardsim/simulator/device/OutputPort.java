package io.shardsim.simulator.device;

import io.shardsim.simulator.kernel.StateWriter;
import io.shardsim.topology.Link;

/**
 * Transmitting end of a link: FIFO, cut-through.
 *
 * <p>A chunk is booked when its last bit arrives. Its transmission begins when its first bit has arrived and the port is free; it holds the port for
 * its serialization time, and its last bit cannot leave before it has arrived: a slow upstream link starves a fast downstream one without making it
 * look busy.
 *
 * <p>Chunks that arrive more slowly than the port could send them do not wait for each other: the port interleaves them, and the first bit of each
 * leaves as it arrives. Otherwise the channels of a collective, which share a port evenly, would appear serialized to the next device, and would
 * queue there in the order of their last bits.
 *
 * <p>Leaves out finite buffers: queues are unbounded, without back pressure.
 */
final class OutputPort {
    static final int TOTALS = 4;
    private static final int CHUNKS = 0;
    private static final int BYTES = 1;
    private static final int BUSY_PS = 2;
    private static final int QUEUEING_PS = 3;

    /** The link: specification. */
    private final Link link;
    /** When the transmitter is free again [ps]: state. */
    private long freePs;
    /** Start of the transmission of the chunk booked last [ps]: state. */
    private long startPs;
    /** Size of the chunk timed last and its time [bytes, ps]: saves the division, since a collective's chunks are alike. */
    private long timedBytes = -1;

    private long serializationPs;
    /** Sums since the start of the run: state. */
    private final long[] totals = new long[TOTALS];

    OutputPort(Link link) {
        this.link = link;
    }

    /**
     * Books a transmission and returns when its last bit leaves [ps].
     *
     * @param headPs when its first bit arrives
     * @param tailPs when its last bit arrives
     */
    long book(long headPs, long tailPs, long bytes) {
        if (bytes != timedBytes) {
            timedBytes = bytes;
            serializationPs = link.serializationPs(bytes);
        }
        startPs = link.outages().up(Math.max(headPs, freePs));
        freePs = link.outages().after(startPs, serializationPs);
        if (freePs < tailPs) {
            startPs = headPs;
        }
        totals[CHUNKS]++;
        totals[BYTES] += bytes;
        totals[BUSY_PS] += serializationPs;
        totals[QUEUEING_PS] = Math.addExact(totals[QUEUEING_PS], startPs - headPs);
        return link.outages().up(Math.max(freePs, tailPs));
    }

    /** Returns when the transmission of the chunk booked last starts [ps]. */
    long startPs() {
        return startPs;
    }

    Link link() {
        return link;
    }

    long chunks() {
        return totals[CHUNKS];
    }

    long bytes() {
        return totals[BYTES];
    }

    long busyPs() {
        return totals[BUSY_PS];
    }

    long queueingPs() {
        return totals[QUEUEING_PS];
    }

    void save(StateWriter writer) {
        writer.notBefore(freePs);
        writer.phase(link.outages().everyPs());
    }

    void shift(long deltaPs) {
        freePs += deltaPs;
    }

    /** Returns when the transmitter is free again [ps]. */
    long freePs() {
        return freePs;
    }

    void freeAt(long ps) {
        freePs = ps;
    }

    void copyTotals(long[] values, int at) {
        System.arraycopy(totals, 0, values, at, TOTALS);
    }

    void addToTotals(long[] growth, int at) {
        for (int i = 0; i < TOTALS; i++) {
            totals[i] = Math.addExact(totals[i], growth[at + i]);
        }
    }
}
