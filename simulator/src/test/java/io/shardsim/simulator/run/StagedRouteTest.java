package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.topology.Cluster;
import io.shardsim.topology.Hop;
import io.shardsim.topology.Route;
import io.shardsim.topology.Router;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import org.junit.jupiter.api.Test;

/** If NICs cannot access GPU memory, data between nodes passes through the host on both sides. */
class StagedRouteTest {
    private static Cluster cluster(boolean gpuDirect) {
        return Clusters.cluster(2, 4, new Bandwidth(300 * Clusters.GB), 2, new Bandwidth(12_500_000_000L), gpuDirect);
    }

    private static List<Hop> hostHops(Cluster cluster, Route route) {
        Router router = new Router(cluster);
        return route.hops().stream()
                .filter(hop -> hop.port() != Router.NO_PORT
                        && router.isHostPort(hop.deviceId() % cluster.devicesPerNode(), hop.port()))
                .toList();
    }

    @Test
    void stagedDataPassesTheHostOnBothSides() {
        Cluster staged = cluster(false);
        Route direct = new Router(cluster(true)).route(0, 7, 1);
        Route around = new Router(staged).route(0, 7, 1);
        assertThat(hostHops(cluster(true), direct)).isEmpty();
        assertThat(hostHops(staged, around))
                .extracting(Hop::deviceId)
                .containsExactly(
                        staged.deviceId(0, staged.pcieSwitchSlot(staged.pcieSwitchOfGpu(0))),
                        staged.deviceId(1, staged.pcieSwitchSlot(staged.pcieSwitchOfGpu(3))));
        assertThat(around.hops()).hasSize(direct.hops().size() + 2);
    }

    @Test
    void theLatencyThatModelsTakeOffIsThatOfTheRoute() {
        for (boolean gpuDirect : List.of(true, false)) {
            Router router = new Router(cluster(gpuDirect));
            assertThat(router.route(0, 4, 0).latencyPs()).isEqualTo(router.interNodeLatencyPs());
        }
    }
}
