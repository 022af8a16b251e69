package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/**
 * One direction of a cable. A chunk of b bytes holds the transmitter for perMessage + b / bandwidth; its head arrives one latency after
 * it left, its last bit one latency after the last bit left [1].
 *
 * <p>Leaves out bit errors, lane negotiation and flow-control frames.
 *
 * <p>[1] Kurose and Ross, Computer Networking, section 1.4.
 *
 * @param bandwidth payload rate
 * @param perMessagePs time the transmitter is held by each chunk beside its bytes [ps]
 * @param latencyPs propagation and forwarding [ps], at least 1
 */
public record Link(LinkClass linkClass, Bandwidth bandwidth, long perMessagePs, long latencyPs) {
    public Link {
        if (latencyPs < 1 || perMessagePs < 0) {
            throw new IllegalArgumentException(linkClass + " link: latency " + latencyPs + " ps < 1 ps or per message "
                    + perMessagePs + " ps < 0");
        }
    }

    public long serializationPs(long bytes) {
        return perMessagePs + bandwidth.serializationPs(bytes);
    }
}
