package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/** Fault of links of a network. */
public sealed interface LinkFault {
    /**
     * Returns the link with this fault.
     *
     * @param cable whether the link is one direction of the cable of {@code Node[0].Nic[0]}
     */
    Link on(Link link, boolean cable);

    /** Returns whether the fault affects all nodes. */
    default boolean everywhere() {
        return false;
    }

    /**
     * Lossy cable: a share of the bytes is retransmitted. Leaves out timeouts and needless retransmits.
     *
     * @param share retransmitted bytes over bytes
     */
    record Retransmission(double share) implements LinkFault {
        @Override
        public Link on(Link link, boolean cable) {
            return cable ? link.with(link.bandwidth().scaled(1 / (1 + share))) : link;
        }
    }

    /** Flapping cable: down from time to time. Leaves out how transports detect it. */
    record Flapping(Outages outages) implements LinkFault {
        @Override
        public Link on(Link link, boolean cable) {
            return cable
                    ? new Link(link.linkClass(), link.bandwidth(), link.perMessagePs(), link.latencyPs(), outages)
                    : link;
        }
    }

    /**
     * Another job on the same fabric, on other nodes.
     *
     * @param share share of the rate between switches that it uses, in each direction
     */
    record OtherJob(double share) implements LinkFault {
        @Override
        public Link on(Link link, boolean cable) {
            Bandwidth left = link.bandwidth().scaled(1 - share);
            return link.linkClass() == LinkClass.SPINE ? link.with(left) : link;
        }

        @Override
        public boolean everywhere() {
            return true;
        }
    }
}
