package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.Faults;
import io.shardsim.topology.NetworkFaults;
import io.shardsim.topology.units.Bandwidth;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Number of nodes that a run simulates. */
class NodeClassesTest {
    private static final WorkTimes NONE = work -> 0;

    static int simulated(Cluster cluster, CollectiveKind kind, String algorithm) {
        SimulationSetup setup = new SimulationSetup(
                cluster,
                SimulationTest.bare(kind, algorithm, 1 << 26, cluster),
                NONE,
                SimulationTest.transport(UniformTransport.ideal(4)),
                Map.of(),
                Set.of(Shortcut.FOLD_NODES));
        return new Placement(setup).simulatedNodes();
    }

    private static int simulated(Cluster cluster) {
        return simulated(cluster, CollectiveKind.ALL_GATHER, "ring");
    }

    @Test
    void nodesThatAreEquallyFarFromEachOtherAreOne() {
        assertThat(simulated(Clusters.likeP4d(2))).isEqualTo(1);
        assertThat(simulated(Clusters.likeP4d(64))).isEqualTo(1);
    }

    @Test
    void nodesWithASlowNicOrASharedUplinkAreNot() {
        Cluster even = Clusters.likeP4d(8);
        NetworkFaults slow = NetworkFaults.NONE.withSlowNic(new Bandwidth(Clusters.GB));
        assertThat(simulated(new Cluster(even.instance(), 8, Faults.NONE.withNetwork(slow))))
                .isGreaterThan(1);
        Cluster leaves = even.withNetwork(even.instance().network().withFabric(new FabricSpec(2, 1, 500_000)));
        assertThat(simulated(leaves)).isEqualTo(8);
    }
}
