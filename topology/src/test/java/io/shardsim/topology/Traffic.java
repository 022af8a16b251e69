package io.shardsim.topology;

import java.util.HashMap;
import java.util.Map;

/** Flows of equal size over a cluster, and the load of the busiest link. */
final class Traffic {
    private final Router router;
    private final Map<Long, Integer> flows = new HashMap<>();
    private double busiestPerByte;

    Traffic(Cluster cluster) {
        router = new Router(cluster);
    }

    void add(int source, int destination, int nic) {
        for (Hop hop : router.route(source, destination, nic).hops()) {
            int sharing = flows.merge((long) hop.deviceId() << 32 | hop.port(), 1, Integer::sum);
            busiestPerByte = Math.max(
                    busiestPerByte, (double) sharing / hop.link().bandwidth().bytesPerSecond());
        }
    }

    /** Returns the maximum number of flows on one link of a route. */
    int worstOn(int source, int destination, int nic) {
        return router.route(source, destination, nic).hops().stream()
                .mapToInt(hop -> flows.getOrDefault((long) hop.deviceId() << 32 | hop.port(), 0))
                .max()
                .orElse(0);
    }

    /** Returns the rate of each flow if all run at the pace of the busiest link [bytes/s]. */
    double rateOfEach() {
        return 1 / busiestPerByte;
    }
}
