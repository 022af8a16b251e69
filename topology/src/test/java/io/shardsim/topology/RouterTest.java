package io.shardsim.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RouterTest {
    private static final long HOP_PS = TestClusters.HOP_PS;
    private static final long TO_NIC_PS = 2 * TestClusters.PCIE_PS;

    static Stream<Cluster> clusters() {
        return Stream.of(
                TestClusters.of(new FabricSpec(1, 1, HOP_PS), 5),
                TestClusters.of(new FabricSpec(2, 1, HOP_PS), 5),
                TestClusters.of(new FabricSpec(4, 3, HOP_PS), 8),
                TestClusters.of(
                        new FabricSpec(1, 1, HOP_PS), 3, withNetwork(new NetworkFaults(null, true, 0.5, List.of()))),
                new Cluster(TestClusters.instance(new FabricSpec(2, 2, HOP_PS), false), 4),
                TestClusters.of(tree(new RailOptimized(), 4, FabricSpec.ALL, 1, Routing.ADAPTIVE), 7),
                TestClusters.of(tree(new RailOptimized(), 2, 4, 2, Routing.ADAPTIVE), 11),
                TestClusters.of(tree(new RailOptimized(), 2, 4, 1, Routing.STATIC), 12),
                TestClusters.of(tree(new FatTree(), 4, FabricSpec.ALL, 2, Routing.ECMP), 12),
                TestClusters.of(tree(new FatTree(), 2, 4, 1, Routing.STATIC), 8),
                TestClusters.of(tree(new FatTree(), 2, 4, 3, Routing.ADAPTIVE), 9),
                TestClusters.of(domains(3, 3), 9),
                TestClusters.of(domains(18, 1), 5),
                TestClusters.of(tree(new Torus(), 1, FabricSpec.ALL, 1, Routing.ADAPTIVE), 12),
                TestClusters.of(tree(new Dragonfly(), 2, 4, 2, Routing.ADAPTIVE), 11),
                TestClusters.of(tree(new Dragonfly(), 1, FabricSpec.ALL, 1, Routing.ADAPTIVE), 4),
                TestClusters.of(
                        tree(new RailOptimized(), 2, 4, 1, Routing.ADAPTIVE),
                        8,
                        withNetwork(new NetworkFaults(null, true, 0, List.of()))));
    }

    static FabricSpec tree(
            FabricFamily family, int nodesPerLeaf, int nodesPerPod, double oversubscription, Routing routing) {
        return new FabricSpec(family.id(), nodesPerLeaf, nodesPerPod, 1, oversubscription, HOP_PS, routing, 7);
    }

    static FabricSpec domains(int nodesPerDomain, int nodesPerLeaf) {
        return new FabricSpec(
                new NvlinkDomain().id(), nodesPerLeaf, FabricSpec.ALL, nodesPerDomain, 1, HOP_PS, Routing.ADAPTIVE, 0);
    }

    @Test
    void everyFamilyIsHere() {
        assertThat(clusters()
                        .map(cluster -> cluster.instance().fabric().family())
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(FabricFamily.all());
        assertThat(FabricFamily.all())
                .allMatch(family -> FabricFamily.named(family.id()).equals(family));
    }

    private static Faults withNetwork(NetworkFaults network) {
        return new Faults(network, 1000, 1000, Faults.NONE.clocks());
    }

    @ParameterizedTest
    @MethodSource("clusters")
    void everyPairOfGpusHasARouteAndItIsAsLongBackAsForth(Cluster cluster) {
        Router router = new Router(cluster);
        for (int from = 0; from < cluster.worldSize(); from++) {
            for (int to = 0; to < cluster.worldSize(); to++) {
                for (int nic = 0; nic < TestClusters.NICS && to != from; nic++) {
                    Route there = router.route(from, to, nic);
                    assertThat(there.hops().get(0).deviceId()).isEqualTo(gpu(cluster, from));
                    assertThat(there.destinationId()).isEqualTo(gpu(cluster, to));
                    assertThat(there.hops()).doesNotHaveDuplicates();
                    Route back = router.route(to, from, nic);
                    assertThat(back.hops()).hasSameSizeAs(there.hops());
                    assertThat(back.latencyPs()).isEqualTo(there.latencyPs());
                    assertThat(there.hops()).allMatch(hop -> isPortOf(router, hop));
                }
            }
        }
    }

    private static boolean isPortOf(Router router, Hop hop) {
        Cluster cluster = router.cluster();
        int slot = hop.deviceId() % cluster.devicesPerNode();
        int node = hop.deviceId() / cluster.devicesPerNode();
        return node < cluster.nodes()
                && hop.port() < router.portCount(slot)
                && hop.link().equals(router.link(node, slot, hop.port()));
    }

    private static int gpu(Cluster cluster, int rank) {
        return cluster.deviceId(cluster.nodeRank(rank), cluster.gpuSlot(cluster.localRank(rank)));
    }

    private static List<String> drawn(Cluster cluster, int from, int to, int nic) {
        return new Router(cluster)
                .route(from, to, nic).hops().stream()
                        .map(hop -> cluster.devicePath(hop.deviceId()) + ":" + hop.port())
                        .toList();
    }

    @Test
    void insideANodeDataPassesTheSwitch() {
        Cluster cluster = TestClusters.of(new FabricSpec(1, 1, HOP_PS), 2);
        assertThat(drawn(cluster, 5, 7, 0)).containsExactly("Node[1].Gpu[1]:0", "Node[1].NvSwitch:3");
        assertThat(new Router(cluster).route(5, 7, 0).latencyPs()).isEqualTo(TestClusters.NVLINK_PS);
    }

    @Test
    void nodesOfOneLeafMeetThere() {
        Cluster cluster = TestClusters.of(new FabricSpec(2, 1, HOP_PS), 4);
        assertThat(drawn(cluster, 0, 7, 1))
                .containsExactly(
                        "Node[0].Gpu[0]:1",
                        "Node[0].PcieSwitch[0]:5",
                        "Node[0].Nic[1]:0",
                        "Fabric.Leaf[1]:2",
                        "Node[1].Nic[1]:1",
                        "Node[1].PcieSwitch[1]:3");
        assertThat(new Router(cluster).route(0, 7, 1).latencyPs())
                .isEqualTo(2 * TO_NIC_PS + TestClusters.NIC_PS + 2 * HOP_PS);
    }

    @Test
    void nodesOfTwoLeavesMeetAtTheSpine() {
        Cluster cluster = TestClusters.of(new FabricSpec(2, 1, HOP_PS), 4);
        assertThat(drawn(cluster, 4, 12, 0))
                .containsExactly(
                        "Node[1].Gpu[0]:1",
                        "Node[1].PcieSwitch[0]:4",
                        "Node[1].Nic[0]:0",
                        "Fabric.Leaf[0]:0",
                        "Fabric.Spine[2]:0",
                        "Fabric.Leaf[3]:1",
                        "Node[3].Nic[0]:1",
                        "Node[3].PcieSwitch[0]:0");
        Router router = new Router(cluster);
        assertThat(router.route(4, 12, 0).latencyPs())
                .isEqualTo(2 * TO_NIC_PS + TestClusters.NIC_PS + 4 * HOP_PS)
                .isEqualTo(router.interNodeLatencyPs());
    }

    /** Returns the rate at which every NIC of the first half of the nodes sends to the NIC of the same index in the other half. */
    static double bisectionRate(Cluster cluster) {
        Traffic traffic = new Traffic(cluster);
        int half = cluster.nodes() / 2;
        for (int node = 0; node < half; node++) {
            for (int nic = 0; nic < TestClusters.NICS; nic++) {
                int gpu = nic * TestClusters.GPUS / TestClusters.NICS;
                traffic.add(cluster.rank(node, gpu), cluster.rank(node + half, gpu), nic);
            }
        }
        return traffic.rateOfEach() * half * TestClusters.NICS;
    }

    @Test
    void theBisectionIsThatOfTheUplinks() {
        double full = 4.0 * TestClusters.NICS * TestClusters.NIC_RATE.bytesPerSecond();
        for (double oversubscription : new double[] {1, 1.5, 4}) {
            for (int nodesPerLeaf : new int[] {1, 2, 4}) {
                Cluster cluster = TestClusters.of(new FabricSpec(nodesPerLeaf, oversubscription, HOP_PS), 8);
                assertThat(bisectionRate(cluster)).isEqualTo(full / oversubscription, within(1e-6 * full));
            }
        }
    }

    /** Returns the route from NIC to NIC. */
    private static List<String> between(Cluster cluster, int from, int to, int nic) {
        return drawn(cluster, cluster.rank(from, 0), cluster.rank(to, 0), nic).stream()
                .filter(hop -> hop.startsWith("Fabric"))
                .toList();
    }

    @Test
    void railsMeetBelowTheSpineAndPodsBelowTheCore() {
        Cluster cluster = TestClusters.of(tree(new RailOptimized(), 2, 4, 1, Routing.ADAPTIVE), 12);
        assertThat(between(cluster, 0, 1, 1)).containsExactly("Fabric.Leaf[1]:3");
        assertThat(between(cluster, 0, 2, 1))
                .containsExactly("Fabric.Leaf[0]:1", "Fabric.Spine[2]:1", "Fabric.Leaf[2]:3");
        assertThat(between(cluster, 0, 5, 1))
                .containsExactly(
                        "Fabric.Leaf[0]:1",
                        "Fabric.Spine[0]:3",
                        "Fabric.Core[5]:1",
                        "Fabric.Spine[5]:1",
                        "Fabric.Leaf[5]:3");
        Router router = new Router(cluster);
        assertThat(List.of(router.distance(0, 0), router.distance(0, 1), router.distance(0, 2), router.distance(0, 5)))
                .containsExactly(0, 2, 3, 4);
        assertThat(router.route(0, 20, 0).latencyPs())
                .isEqualTo(2 * TO_NIC_PS + TestClusters.NIC_PS + 6 * HOP_PS)
                .isEqualTo(router.interNodeLatencyPs());
    }

    /** The traffic of a lost NIC moves to another rail, and so crosses the spines. */
    @Test
    void whatChangesItsRailPassesTheSpine() {
        Cluster lost = TestClusters.of(
                tree(new RailOptimized(), 2, FabricSpec.ALL, 1, Routing.ADAPTIVE),
                2,
                withNetwork(new NetworkFaults(null, true, 0, List.of())));
        assertThat(between(lost, 0, 1, 0)).containsExactly("Fabric.Leaf[0]:1", "Fabric.Spine[1]:0", "Fabric.Leaf[1]:2");
    }

    @Test
    void nvLinkJoinsTheTraysOfADomain() {
        Cluster cluster = TestClusters.of(domains(3, 1), 6);
        assertThat(drawn(cluster, 1, 10, 0)).containsExactly("Node[0].Gpu[1]:0", "Node[2].NvSwitch:2");
        assertThat(between(cluster, 2, 3, 1))
                .containsExactly("Fabric.Leaf[2]:1", "Fabric.Spine[3]:1", "Fabric.Leaf[3]:3");
        Cluster joined = cluster.byDomain();
        assertThat(joined.nodes()).isEqualTo(2);
        assertThat(joined.gpusPerNode()).isEqualTo(3 * TestClusters.GPUS);
        assertThat(joined.instance().nicsPerNode()).isEqualTo(3 * TestClusters.NICS);
        for (int rank = 0; rank < cluster.worldSize(); rank++) {
            for (int other = 0; other < cluster.worldSize(); other++) {
                assertThat(cluster.isJoined(rank, other)).isEqualTo(joined.nodeRank(rank) == joined.nodeRank(other));
            }
        }
        // A NIC of the domain is that of its tray.
        assertThat(new Router(cluster).route(8, 20, 2 * TestClusters.NICS + 1))
                .isEqualTo(new Router(cluster).route(8, 20, 1));
        assertThat(cluster.instance().gpusPerNode()).isEqualTo(TestClusters.GPUS);
    }

    @Test
    void aTorusGoesTheShorterWayRound() {
        Cluster cluster = TestClusters.of(tree(new Torus(), 1, FabricSpec.ALL, 1, Routing.ADAPTIVE), 5 * 5 * 5);
        assertThat(between(cluster, 0, 2, 0))
                .containsExactly("Fabric.Router[0]:0", "Fabric.Router[1]:0", "Fabric.Router[2]:6");
        assertThat(between(cluster, 0, 4, 0)).containsExactly("Fabric.Router[0]:1", "Fabric.Router[4]:6");
        assertThat(between(cluster, 0, 4 + 5 * 1 + 25 * 4, 0))
                .containsExactly(
                        "Fabric.Router[0]:1", "Fabric.Router[4]:2", "Fabric.Router[9]:5", "Fabric.Router[109]:6");
    }

    /** Three groups of two routers of two nodes: the first router has the cable to the next group, the second the cable to the one after. */
    @Test
    void aDragonflyPassesOneCableBetweenGroups() {
        Cluster cluster = TestClusters.of(tree(new Dragonfly(), 2, 4, 1, Routing.ADAPTIVE), 12);
        assertThat(between(cluster, 0, 1, 0)).containsExactly("Fabric.Router[1]:5");
        assertThat(between(cluster, 0, 2, 0)).containsExactly("Fabric.Router[0]:1", "Fabric.Router[2]:5");
        assertThat(between(cluster, 0, 6, 0)).containsExactly("Fabric.Router[0]:3", "Fabric.Router[6]:5");
        assertThat(between(cluster, 2, 5, 0))
                .containsExactly(
                        "Fabric.Router[2]:0", "Fabric.Router[0]:3", "Fabric.Router[6]:0", "Fabric.Router[5]:5");
        Router router = new Router(cluster);
        assertThat(router.route(cluster.rank(2, 0), cluster.rank(5, 0), 0).latencyPs())
                .isEqualTo(router.interNodeLatencyPs());
    }

    /** Half of the nodes send across, over the one cable between two groups, or over one cable per pair of groups. */
    @Test
    void aDragonflyHasTheBisectionOfTheCablesOfItsGroups() {
        double full = 4.0 * TestClusters.NICS * TestClusters.NIC_RATE.bytesPerSecond();
        for (double over : new double[] {1, 2}) {
            Cluster cluster = TestClusters.of(tree(new Dragonfly(), 2, 4, over, Routing.ADAPTIVE), 8);
            assertThat(bisectionRate(cluster)).isEqualTo(full / over, within(1e-6 * full));
        }
    }

    @Test
    void aGroupOfADragonflyHasWholeRouters() {
        assertThat(new Dragonfly().problem(tree(new Dragonfly(), 4, 6, 1, Routing.ADAPTIVE), 12))
                .isEqualTo("nodes_per_pod 6 is not a multiple of nodes_per_leaf 4; write nodes_per_pod: 8");
        assertThat(new Dragonfly().problem(tree(new Dragonfly(), 4, 6, 1, Routing.ADAPTIVE), 6))
                .isNull();
    }

    @Test
    void railsAndFatTreesHaveTheBisectionOfTheirUplinks() {
        double full = 4.0 * TestClusters.NICS * TestClusters.NIC_RATE.bytesPerSecond();
        for (FabricFamily family : List.of(new RailOptimized(), new FatTree())) {
            for (int pod : new int[] {FabricSpec.ALL, 4}) {
                for (double over : new double[] {1, 2}) {
                    Cluster cluster = TestClusters.of(tree(family, 2, pod, over, Routing.ADAPTIVE), 8);
                    assertThat(bisectionRate(cluster)).isEqualTo(full / over, within(1e-6 * full));
                }
            }
        }
    }

    /** With evenly spread tables, shifts by whole leaves meet no other flow: the way down is free for each destination. */
    @Test
    void staticTablesDealTheNicsOfALeafToItsSpinesEvenly() {
        Cluster cluster = TestClusters.of(tree(new FatTree(), 4, FabricSpec.ALL, 1, Routing.STATIC), 16);
        Router router = new Router(cluster);
        for (int leaf = 0; leaf < 4; leaf++) {
            List<Hop> down = new ArrayList<>();
            for (int node = 4 * leaf; node < 4 * leaf + 4; node++) {
                for (int nic = 0; nic < TestClusters.NICS; nic++) {
                    int source = cluster.rank((node + 4) % 16, 0);
                    List<Hop> hops =
                            router.route(source, cluster.rank(node, 0), nic).hops();
                    down.add(hops.get(4));
                }
            }
            assertThat(down).doesNotHaveDuplicates();
        }
    }

    @Test
    void faultsAreOfTheFirstNode() {
        Bandwidth slow = Bandwidth.parse("5 GB/s");
        Cluster cluster = TestClusters.of(
                new FabricSpec(1, 1, HOP_PS), 2, withNetwork(new NetworkFaults(slow, false, 0.25, List.of())));
        Router router = new Router(cluster);
        assertThat(router.link(0, cluster.nicSlot(0), Router.NIC_WIRE_PORT).bandwidth())
                .isEqualTo(slow);
        assertThat(router.link(1, cluster.nicSlot(0), Router.NIC_WIRE_PORT).bandwidth())
                .isEqualTo(TestClusters.NIC_RATE);
        List<Hop> hops = router.route(0, 4, 0).hops();
        assertThat(hops.get(3).link().bandwidth())
                .isEqualTo(TestClusters.NIC_RATE.times(TestClusters.NICS).scaled(0.75));
        assertThat(hops.get(4).link().bandwidth()).isEqualTo(TestClusters.NIC_RATE.times(TestClusters.NICS));
        Cluster lost = TestClusters.of(
                new FabricSpec(1, 1, HOP_PS), 2, withNetwork(new NetworkFaults(null, true, 0, List.of())));
        assertThat(drawn(lost, 0, 4, 0)).contains("Node[0].Nic[1]:0", "Node[1].Nic[0]:1");
    }

    @Test
    void anotherJobTakesItsShareOfAllUplinks() {
        NetworkFaults other = new NetworkFaults(null, false, 0, List.of(new LinkFault.OtherJob(0.25)));
        Cluster cluster = TestClusters.of(new FabricSpec(2, 1, HOP_PS), 8, withNetwork(other));
        double full = 4.0 * TestClusters.NICS * TestClusters.NIC_RATE.bytesPerSecond();
        assertThat(bisectionRate(cluster)).isEqualTo(0.75 * full, within(1e-6 * full));
        assertThat(cluster.isOdd(0)).isFalse();
    }

    @Test
    void copiesToTheHostShareTheLinkOfTheirSwitch() {
        Cluster cluster = TestClusters.of(new FabricSpec(1, 1, HOP_PS), 1);
        Router router = new Router(cluster);
        assertThat(router.toHost(1).hops().get(1))
                .isEqualTo(router.toHost(0).hops().get(1));
        assertThat(router.toHost(2).hops().get(1))
                .isNotEqualTo(router.toHost(0).hops().get(1));
        assertThat(router.toHost(0).latencyPs()).isEqualTo(router.hostLatencyPs());
        assertThat(router.fromHost(3).destinationId()).isEqualTo(gpu(cluster, 3));
    }
}
