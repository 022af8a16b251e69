package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.NvlsTreeAllReduce;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.FabricFamily;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.Routing;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Collectives over every fabric family, with and without the shortcuts. */
class FabricRunTest {
    private static final long HOP_PS = 500_000;
    private static final WorkTimes NONE = work -> 0;

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(4);

    static Cluster with(Cluster cluster, FabricSpec fabric) {
        return cluster.withNetwork(cluster.instance().network().withFabric(fabric));
    }

    static FabricSpec fabric(String family, int leaf, int pod, int domain, Routing routing) {
        return new FabricSpec(family, leaf, pod, domain, 1, HOP_PS, routing, 3);
    }

    static Stream<FabricSpec> fabrics() {
        List<FabricSpec> fabrics = new ArrayList<>();
        for (FabricFamily family : FabricFamily.all()) {
            int domain = family.joinsDomains() ? 2 : 1;
            fabrics.add(fabric(family.id(), 1, FabricSpec.ALL, domain, Routing.ADAPTIVE));
            fabrics.add(fabric(family.id(), 2, FabricSpec.ALL, domain, Routing.ADAPTIVE));
            fabrics.add(fabric(family.id(), 2, 4, domain, Routing.ADAPTIVE));
            fabrics.add(fabric(family.id(), 2, 4, domain, Routing.STATIC));
            fabrics.add(fabric(family.id(), 4, FabricSpec.ALL, domain, Routing.ECMP));
        }
        return fabrics.stream();
    }

    private static SimulationSetup setup(Cluster cluster, CollectiveKind kind, Set<Shortcut> shortcuts) {
        StepPlan plan = SimulationTest.bare(kind, "ring", 20_000_001, cluster);
        return new SimulationSetup(
                cluster, plan, NONE, SimulationTest.transport(UniformTransport.ideal(4)), Map.of(), shortcuts);
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void leavingOutEqualNodesAndSplittingChangeNothing(FabricSpec fabric) throws Exception {
        Cluster cluster = with(Clusters.likeP4d(8), fabric);
        for (CollectiveKind kind : List.of(CollectiveKind.ALL_GATHER, CollectiveKind.ALL_REDUCE)) {
            StepObservation all = engine.run(setup(cluster, kind, Set.of()));
            StepObservation folded = engine.run(setup(cluster, kind, Set.of(Shortcut.FOLD_NODES)));
            assertThat(folded.digest()).isEqualTo(all.digest());
            assertThat(folded.links()).isEqualTo(all.links());
            StepObservation split = engine.run(setup(cluster, kind, Set.of()), 3);
            assertThat(split.digest()).isEqualTo(all.digest());
            assertThat(split.executedEvents()).isEqualTo(all.executedEvents());
        }
    }

    private static int simulated(int nodes, FabricSpec fabric) {
        return NodeClassesTest.simulated(with(Clusters.likeP4d(nodes), fabric), CollectiveKind.ALL_GATHER, "ring");
    }

    @Test
    void nodesOfRailsFoldToThePlacesUnderALeaf() {
        assertThat(simulated(4096, fabric("rail_optimized", 1, FabricSpec.ALL, 1, Routing.ADAPTIVE)))
                .isEqualTo(1);
        assertThat(simulated(512, fabric("rail_optimized", 512, FabricSpec.ALL, 1, Routing.ADAPTIVE)))
                .isLessThanOrEqualTo(1);
        assertThat(simulated(512, fabric("rail_optimized", 32, FabricSpec.ALL, 1, Routing.ADAPTIVE)))
                .isEqualTo(32);
        assertThat(simulated(64, fabric("fat_tree", 1, 8, 1, Routing.ADAPTIVE))).isEqualTo(8);
        assertThat(simulated(64, fabric("rail_optimized", 8, FabricSpec.ALL, 1, Routing.STATIC)))
                .isEqualTo(64);
    }

    @Test
    void traysOfADomainFoldToOne() {
        FabricSpec racks = fabric("nvlink_domain", 1, FabricSpec.ALL, 18, Routing.ADAPTIVE);
        for (int domains : new int[] {1, 8}) {
            Cluster trays = Clusters.cluster(
                    18 * domains, 4, new Bandwidth(770 * Clusters.GB), 4, new Bandwidth(48 * Clusters.GB));
            assertThat(NodeClassesTest.simulated(with(trays, racks), CollectiveKind.ALL_GATHER, "ring"))
                    .isEqualTo(domains == 1 ? 1 : 18);
        }
    }

    /** Heads of a domain send through NICs of all trays, which are equal. */
    @Test
    void traysOfDomainsWithATreeBetweenThemFold() throws Exception {
        FabricSpec racks = fabric("nvlink_domain", 1, FabricSpec.ALL, 3, Routing.ADAPTIVE);
        Cluster cluster = with(
                Clusters.cluster(15, 4, new Bandwidth(770 * Clusters.GB), 4, new Bandwidth(48 * Clusters.GB)), racks);
        StepPlan plan = SimulationTest.bare(CollectiveKind.ALL_REDUCE, "nvls-tree", 1 << 24, cluster);
        Transport.Rates rates = Transport.Rates.all(new Bandwidth(100 * Clusters.GB));
        UniformTransport transport = new UniformTransport(
                new Transport("test", 2, 1 << 20, 1, new Transport.Delays(1, 0, 0), rates, 1, 1),
                List.of(new NvlsTreeAllReduce()));
        StepObservation all = engine.run(new SimulationSetup(cluster, plan, NONE, transport, Map.of(), Set.of()));
        StepObservation folded =
                engine.run(new SimulationSetup(cluster, plan, NONE, transport, Map.of(), Set.of(Shortcut.FOLD_NODES)));
        assertThat(folded.digest()).isEqualTo(all.digest());
        assertThat(folded.executedEvents() * 3).isLessThanOrEqualTo(all.executedEvents());
    }

    @Test
    void allGatherOverADomainTakesWhatTheorySays() throws Exception {
        FabricSpec rack = fabric("nvlink_domain", 1, FabricSpec.ALL, 18, Routing.ADAPTIVE);
        Cluster cluster = with(
                Clusters.cluster(18, 4, new Bandwidth(770 * Clusters.GB), 4, new Bandwidth(48 * Clusters.GB)), rack);
        long shardBytes = 256 * 7_700;
        StepPlan plan = SimulationTest.bare(CollectiveKind.ALL_GATHER, "ring", 72 * shardBytes, cluster);
        StepObservation observed = engine.run(new SimulationSetup(
                cluster,
                plan,
                NONE,
                SimulationTest.transport(UniformTransport.ideal(1)),
                Map.of(),
                Set.of(Shortcut.FOLD_NODES)));
        // 2.56 us per shard, 1 us from GPU to GPU, a picosecond for the launch and one for the last store.
        assertThat(observed.endPs()).isEqualTo(1 + 71 * 3_560_000L + 1);
    }

    /** One flow per rail leaves each leaf, and only upwards, so drawn routes never collide. */
    @Test
    void ringsThatKeepTheirRailShareNoLink() throws Exception {
        Cluster adaptive = with(Clusters.likeP4d(16), fabric("rail_optimized", 4, FabricSpec.ALL, 1, Routing.ADAPTIVE));
        Cluster ecmp = with(adaptive, fabric("rail_optimized", 4, FabricSpec.ALL, 1, Routing.ECMP));
        long adaptivePs =
                engine.run(setup(adaptive, CollectiveKind.ALL_GATHER, Set.of())).endPs();
        assertThat(engine.run(setup(ecmp, CollectiveKind.ALL_GATHER, Set.of())).endPs())
                .isEqualTo(adaptivePs);
    }
}
