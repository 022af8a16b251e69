package io.shardsim.simulator.protocol;

/**
 * A route made ready for travel: the devices with their actors, resolved once, when the run is assembled.
 *
 * @param id names the path in comparisons of state and between logical processes; the same for the same edge of the same collective
 * @param stops the sending GPU, the devices in between, the receiving GPU
 * @param destinationLocalRank local rank of the receiving GPU
 * @param outboundHop hop by which the path leaves a group of nodes, {@link #NONE} where it does not
 * @param arrivalPs added to the latency of the last link: the time until the receiving thread block acts on the chunk [ps]
 */
public record Path(int id, Stop[] stops, int destinationLocalRank, int outboundHop, long arrivalPs) {
    /** No hop, no port. */
    public static final int NONE = -1;

    public int hops() {
        return stops.length - 1;
    }

    public Stop stop(int hop) {
        return stops[hop];
    }
}
