package io.shardsim.simulator.run;

import io.shardsim.simulator.device.RankPlan;
import io.shardsim.topology.Cluster;
import java.util.List;
import java.util.stream.IntStream;

/** Which rank runs what, and which node is simulated in place of which. */
final class Placement {
    private final Cluster cluster;
    /** For each pipeline stage, what its ranks run. */
    private final List<RankPlan> plans;

    private final CollectiveSchedules schedules;
    private final NodeClasses nodes;
    /** For each node, how many nodes it stands for; 0 for nodes that are left out. */
    private final int[] copies;

    Placement(SimulationSetup setup) {
        cluster = setup.cluster();
        schedules = new CollectiveSchedules(cluster, setup.transports());
        plans = RankPlan.ofStages(setup.plan(), setup.workTimes());
        requireWhole(setup.plan().stages(), cluster.worldSize());
        nodes = setup.foldNodes()
                ? NodeClasses.of(cluster, this::planOf, schedules, setup.durationPerMille())
                : NodeClasses.separate(cluster);
        copies = new int[cluster.nodes()];
        for (int node = 0; node < copies.length; node++) {
            copies[nodes.representative(node)]++;
        }
    }

    private static void requireWhole(int stages, int worldSize) {
        if (worldSize % stages != 0) {
            throw new IllegalArgumentException(
                    "world size " + worldSize + " is not a multiple of " + stages + " stages");
        }
    }

    CollectiveSchedules schedules() {
        return schedules;
    }

    List<RankPlan> plans() {
        return plans;
    }

    NodeClasses nodes() {
        return nodes;
    }

    /** What a rank runs; the ranks of a pipeline stage are neighbours. */
    RankPlan planOf(int rank) {
        return plans.get(rank / (cluster.worldSize() / plans.size()));
    }

    /** How many nodes a node stands for; 0 for nodes that are left out. */
    int copies(int node) {
        return copies[node];
    }

    int simulatedNodes() {
        return (int) IntStream.of(copies).filter(many -> many > 0).count();
    }

    /** The device that is simulated in place of a device. */
    int simulated(int deviceId) {
        int node = nodes.representative(deviceId / cluster.devicesPerNode());
        return cluster.deviceId(node, deviceId % cluster.devicesPerNode());
    }

    /** The GPU that is simulated in place of a rank's. */
    int simulatedGpu(int rank) {
        return simulated(cluster.deviceId(cluster.nodeRank(rank), cluster.gpuSlot(cluster.localRank(rank))));
    }
}
