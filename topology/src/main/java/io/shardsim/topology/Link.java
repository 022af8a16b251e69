package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/**
 * One direction of a cable. A chunk of b bytes, padded to whole packets, holds the transmitter for perMessage + b / bandwidth; its head arrives one
 * latency after it left, its last bit one latency after the last bit left [1].
 *
 * <p>Leaves out bit errors, lane negotiation and flow-control frames.
 *
 * <p>[1] Kurose and Ross, Computer Networking, section 1.4.
 *
 * @param bandwidth payload rate
 * @param perMessagePs time each chunk holds the transmitter in addition to its bytes [ps]
 * @param latencyPs propagation and forwarding [ps], at least 1
 * @param outages outages of the transmitter
 */
public record Link(LinkClass linkClass, Bandwidth bandwidth, long perMessagePs, long latencyPs, Outages outages) {
    /**
     * Packet payload [bytes]: the maximum of an NVLink packet (Foley and Danskin, Ultra-Performance Pascal GPU and NVLink Interconnect, IEEE Micro
     * 37(2), 2017) and of a PCIe write between server boards (R. Neugebauer et al., Understanding PCIe performance for end host networking, SIGCOMM
     * 2018, section 3). So chunks whose sizes differ by a few bytes take equal times, and the channels of a collective stay in step.
     */
    private static final long PACKET_BYTES = 256;

    public Link {
        if (latencyPs < 1 || perMessagePs < 0) {
            throw new IllegalArgumentException(linkClass + " link: latency " + latencyPs + " ps < 1 ps or per message "
                    + perMessagePs + " ps < 0");
        }
    }

    /** Creates a link without outages. */
    public Link(LinkClass linkClass, Bandwidth bandwidth, long perMessagePs, long latencyPs) {
        this(linkClass, bandwidth, perMessagePs, latencyPs, Outages.NONE);
    }

    /** Returns this link with another rate. */
    Link with(Bandwidth other) {
        return new Link(linkClass, other, perMessagePs, latencyPs, outages);
    }

    /** Returns how long a chunk holds the transmitter [ps]. */
    public long serializationPs(long bytes) {
        return Math.addExact(
                perMessagePs, bandwidth.serializationPs((bytes + PACKET_BYTES - 1) / PACKET_BYTES * PACKET_BYTES));
    }
}
