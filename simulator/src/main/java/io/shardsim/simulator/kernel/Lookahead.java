package io.shardsim.simulator.kernel;

/**
 * Minimum delays between an event and its effects in another logical process.
 *
 * <p>Traffic leaves a node only through an outbound port. Only devices of the node send to that port, and only its messages cross. So the port may
 * run ahead of its node by the minimum travel time to it, and nothing crosses sooner than both delays after an event at any other device.
 *
 * @param outboundPs from an event at any other device to the arrival at an outbound port that it causes [ps]
 * @param crossingPs from an arrival at an outbound port to the arrival in another logical process [ps]
 */
public record Lookahead(long outboundPs, long crossingPs) {
    public Lookahead {
        if (outboundPs < 0 || crossingPs < 1) {
            throw new IllegalArgumentException(
                    "lookahead " + outboundPs + " ps < 0 ps or " + crossingPs + " ps < 1 ps");
        }
    }

    /** Returns the instant before which nothing can arrive anywhere, given the earliest pending events [ps]; Long.MAX_VALUE means none. */
    long boundPs(long nextPs, long nextOutboundPs) {
        long outbound = Math.min(after(nextPs, outboundPs), nextOutboundPs);
        return after(outbound, crossingPs);
    }

    /** Returns how far outbound ports may advance when all others may advance to the given instant [ps]. */
    long outboundGrantPs(long grantedPs) {
        return after(grantedPs, outboundPs);
    }

    private static long after(long timePs, long delayPs) {
        return timePs > Long.MAX_VALUE - delayPs ? Long.MAX_VALUE : timePs + delayPs;
    }
}
