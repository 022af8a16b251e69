package io.shardsim.topology;

import java.util.HashMap;
import java.util.Map;

/** Flows of equal size over a cluster, and how long the busiest link of all takes to carry what passes it. */
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

    /** Most flows on one link of a route. */
    int worstOn(int source, int destination, int nic) {
        return router.route(source, destination, nic).hops().stream()
                .mapToInt(hop -> flows.getOrDefault((long) hop.deviceId() << 32 | hop.port(), 0))
                .max()
                .orElse(0);
    }

    /** Rate of each flow when all run at the pace of the busiest link [bytes/s]. */
    double rateOfEach() {
        return 1 / busiestPerByte;
    }
}
