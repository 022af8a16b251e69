package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Minimum time of each operation of a plan: for a kernel, its time on an otherwise idle GPU; for a collective, the library's launch and its bytes at
 * line rate.
 */
final class LeastTimes {
    /** Cluster with each NVLink domain as one node. */
    private final Cluster cluster;

    private final StepPlan plan;
    private final SimulationSetup setup;
    private final CollectiveSchedules schedules;
    private final Map<Work, Long> works = new HashMap<>();
    /** Times by identity: plans share equal operations. */
    private final IdentityHashMap<Operation, Carried> durations = new IdentityHashMap<>();

    /**
     * Minimum cost of an operation.
     *
     * @param outboundBytes bytes that leave the node of a collective's first rank, for all groups of the stage with ranks there
     * @param joinsStages whether ranks of several stages take part: none ends before all have started
     */
    record Carried(long ps, double outboundBytes, boolean joinsStages) {}

    LeastTimes(SimulationSetup setup) {
        this.setup = setup;
        cluster = setup.cluster().byDomain();
        plan = setup.plan();
        schedules = new CollectiveSchedules(setup.cluster(), setup.transports());
    }

    Carried of(Operation operation) {
        return durations.computeIfAbsent(operation, this::carried);
    }

    private Carried carried(Operation operation) {
        return operation instanceof Operation.Compute compute
                ? new Carried(works.computeIfAbsent(compute.work(), setup.workTimes()::ps), 0, false)
                : carried((Operation.Collective) operation);
    }

    private Carried carried(Operation.Collective collective) {
        int first = collective.groups().first();
        int[] members = collective.groups().membersOf(first);
        if (members.length < 2) {
            return new Carried(0, 0, false);
        }
        int stageRanks = cluster.worldSize() / plan.stages();
        boolean joins = members[0] / stageRanks != members[members.length - 1] / stageRanks;
        TransportModel.Choice choice = schedules.schedule(collective, first).choice();
        Transport transport = choice.transport();
        double bytes = collective.totalBytes() * transport.wireRatio();
        int together = mostOnANode(members);
        if (together == members.length) {
            double arriving = bytes * choice.algorithm().leastShare(collective.kind(), 1, members.length);
            return new Carried(transport.basePs() + ps(arriving, insideRate()), 0, joins);
        }
        double leaving = bytes * choice.algorithm().leastShare(collective.kind(), together, members.length);
        return new Carried(
                transport.basePs() + ps(leaving, nodeRate()), leaving * groupsOnNode(collective, first), joins);
    }

    /** Returns the number of groups with ranks on a rank's node, counted from that rank to the end of its node and pipeline stage. */
    private long groupsOnNode(Operation.Collective collective, int rank) {
        int stageRanks = cluster.worldSize() / plan.stages();
        int ofNode = cluster.gpusPerNode() - cluster.localRank(rank);
        return IntStream.range(rank, rank + Math.min(stageRanks, ofNode))
                .map(collective.groups()::firstOf)
                .distinct()
                .count();
    }

    /** Returns the members on the node with the most: every other node must receive more from the rest. */
    private int mostOnANode(int[] members) {
        int most = 0;
        int together = 0;
        for (int i = 0; i < members.length; i++) {
            boolean same = i > 0 && cluster.nodeRank(members[i]) == cluster.nodeRank(members[i - 1]);
            together = same ? together + 1 : 1;
            most = Math.max(most, together);
        }
        return most;
    }

    private Bandwidth insideRate() {
        return cluster.instance().intraNode().perGpuRate();
    }

    Bandwidth nodeRate() {
        InstanceSpec instance = cluster.instance();
        return instance.nic().effectiveRate().times(instance.nicsPerNode());
    }

    static long ps(double bytes, Bandwidth rate) {
        return (long) (bytes / rate.bytesPerSecond() * 1e12);
    }
}
