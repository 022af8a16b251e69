package io.shardsim.simulator.protocol;

/**
 * Route resolved to devices and their actors, once, when the run is assembled.
 *
 * @param id identifies the path in state comparisons and between logical processes; equal for the same edge of the same collective
 * @param stops the sending GPU, the devices in between, the receiving GPU
 * @param destinationLocalRank local rank of the receiving GPU
 * @param outboundHop hop by which the path leaves a group of nodes, {@link #NONE} if it does not
 * @param arrivalPs added to the latency of the last link: the time until the receiving thread block acts on the chunk [ps]
 */
public record Path(int id, Stop[] stops, int destinationLocalRank, int outboundHop, long arrivalPs) {
    /** Value for no hop or no port. */
    public static final int NONE = -1;

    public int hops() {
        return stops.length - 1;
    }

    public Stop stop(int hop) {
        return stops[hop];
    }
}
