package io.shardsim.simulator.device;

import io.shardsim.simulator.kernel.StateWriter;
import io.shardsim.topology.Link;

/**
 * The transmitting end of a link: first come, first served, cut-through.
 *
 * <p>A chunk is booked when its last bit arrives. Its transmission begins when both its first bit is there and the port is free; it holds the
 * port for its serialization time, and its last bit cannot leave before it arrived: a slow upstream link starves a fast downstream one
 * without making it look busy.
 *
 * <p>A chunk that trickles in more slowly than the port could send it does not wait for others that trickle too: the port sends them by turns, and the
 * first bit of each goes out as it comes. Otherwise the channels of a collective, which share a port evenly, would seem to the next
 * device to come one after the other, and wait there in whatever order their last bits arrive.
 *
 * <p>Leaves out finite buffers: what waits, waits without bound and without pushing back.
 */
final class OutputPort {
    static final int TOTALS = 4;
    private static final int CHUNKS = 0;
    private static final int BYTES = 1;
    private static final int BUSY_PS = 2;
    private static final int QUEUEING_PS = 3;

    /** The cable: specification. */
    private final Link link;
    /** When the transmitter is free again [ps]: state. */
    private long freePs;
    /** When the chunk booked last began to be transmitted [ps]: state. */
    private long startPs;
    /** Size that was timed last and its time [bytes, ps]: spares the division, as the chunks of a collective are alike. */
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
     * @param headPs when its first bit is there
     * @param tailPs when its last bit is there
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

    /** When the chunk booked last began to be transmitted [ps]. */
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

    /** When the transmitter is free again [ps]. */
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
