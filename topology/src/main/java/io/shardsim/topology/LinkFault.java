package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/** What is wrong with links of a network. */
public sealed interface LinkFault {
    /**
     * The link as it is with this fault.
     *
     * @param cable whether it is a direction of the cable of {@code Node[0].Nic[0]}
     */
    Link on(Link link, boolean cable);

    /** Whether all nodes have it. */
    default boolean everywhere() {
        return false;
    }

    /**
     * A cable whose packets are lost, so that a share of the bytes is sent again. Leaves out timeouts, and what is sent again in vain.
     *
     * @param share bytes sent again over bytes
     */
    record Retransmission(double share) implements LinkFault {
        @Override
        public Link on(Link link, boolean cable) {
            return cable ? link.with(link.bandwidth().scaled(1 / (1 + share))) : link;
        }
    }

    /** A cable that is down now and then. Leaves out what transports do to find out. */
    record Flapping(Outages outages) implements LinkFault {
        @Override
        public Link on(Link link, boolean cable) {
            return cable
                    ? new Link(link.linkClass(), link.bandwidth(), link.perMessagePs(), link.latencyPs(), outages)
                    : link;
        }
    }

    /**
     * Another job on the same fabric, with nodes of its own.
     *
     * @param share of the rate between switches that it takes, both ways
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
