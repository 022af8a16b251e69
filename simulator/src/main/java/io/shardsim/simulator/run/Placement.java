package io.shardsim.simulator.run;

import io.shardsim.simulator.device.RankPlan;
import io.shardsim.topology.Cluster;
import java.util.List;
import java.util.stream.IntStream;

/** Assignment of plans to ranks, and of nodes to their simulated representatives. */
final class Placement {
    private final Cluster cluster;
    /** Plans of the ranks, by pipeline stage. */
    private final List<RankPlan> plans;

    private final CollectiveSchedules schedules;
    private final NodeClasses nodes;
    /** Number of nodes that a node represents; 0 for nodes that are not simulated. */
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

    /** Returns the plan of a rank; the ranks of a pipeline stage are contiguous. */
    RankPlan planOf(int rank) {
        return plans.get(rank / (cluster.worldSize() / plans.size()));
    }

    /** Returns the number of nodes that a node represents; 0 for nodes that are not simulated. */
    int copies(int node) {
        return copies[node];
    }

    int simulatedNodes() {
        return (int) IntStream.of(copies).filter(many -> many > 0).count();
    }

    /** Returns the device simulated for a device. */
    int simulated(int deviceId) {
        int node = nodes.representative(deviceId / cluster.devicesPerNode());
        return cluster.deviceId(node, deviceId % cluster.devicesPerNode());
    }

    /** Returns the GPU simulated for a rank. */
    int simulatedGpu(int rank) {
        return simulated(cluster.deviceId(cluster.nodeRank(rank), cluster.gpuSlot(cluster.localRank(rank))));
    }
}
