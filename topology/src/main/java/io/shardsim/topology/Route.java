package io.shardsim.topology;

import java.util.List;

/**
 * Ordered hops from one GPU to another.
 *
 * @param hops hops, at least one; the first leaves the source GPU
 * @param destinationId device id of the GPU where the last hop ends
 */
public record Route(List<Hop> hops, int destinationId) {
    public Route {
        hops = List.copyOf(hops);
    }

    /** Returns the sum of the latencies of the hops [ps]: the travel time of a bit on idle links. */
    public long latencyPs() {
        return hops.stream().mapToLong(hop -> hop.link().latencyPs()).sum();
    }
}
