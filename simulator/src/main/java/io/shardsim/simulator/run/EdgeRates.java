package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.device.Pace;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.Router;
import io.shardsim.topology.units.Bandwidth;
import java.util.Arrays;

/**
 * Pace of a collective's edges: the network's pace if the edge leaves the node for any rank, since the whole ring then waits for that one; else the
 * pace inside the node.
 *
 * <p>The members on the group's first node decide. A node's NICs are shared evenly among the members that use them in one step, and among the
 * channels: in a flat ring one member per node, in the first stage of a hierarchical gather all of them. A channel between nodes is one thread block;
 * inside the node it may represent several.
 */
final class EdgeRates {
    private final Cluster cluster;
    private final Router router;
    private final CollectiveSchedules.Scheduled scheduled;
    private final boolean spansNodes;
    /** Number of members of the first node with a peer on another node, by channel and slot. */
    private final int[][] receivingAcross;

    private final int[][] sendingAcross;

    /** @param cluster cluster with each NVLink domain as one node */
    EdgeRates(Cluster cluster, Router router, CollectiveSchedules.Scheduled scheduled) {
        this.cluster = cluster;
        this.router = router;
        this.scheduled = scheduled;
        int[] members = scheduled.request().members();
        spansNodes = cluster.nodeRank(members[0]) != cluster.nodeRank(members[members.length - 1]);
        receivingAcross = new int[scheduled.channels()][0];
        sendingAcross = new int[scheduled.channels()][0];
        for (int channel = 0; channel < scheduled.channels(); channel++) {
            for (int i = 0; i < members.length && cluster.nodeRank(members[i]) == cluster.nodeRank(members[0]); i++) {
                ChannelProgram program = scheduled.program(i, channel);
                receivingAcross[channel] = counted(receivingAcross[channel], program.receivePeers(), members[0]);
                sendingAcross[channel] = counted(sendingAcross[channel], program.sendPeers(), members[0]);
            }
        }
    }

    private int[] counted(int[] across, int[] peers, int rank) {
        int[] result = Arrays.copyOf(across, Math.max(across.length, peers.length));
        for (int slot = 0; slot < peers.length; slot++) {
            result[slot] += cluster.nodeRank(peers[slot]) == cluster.nodeRank(rank) ? 0 : 1;
        }
        return result;
    }

    /** Returns the pace of each receive slot of a program. */
    Pace[] receiving(int channel, ChannelProgram program) {
        return paces(receivingAcross[channel], program.receivePeers().length);
    }

    /** Returns the pace of each send slot of a program. */
    Pace[] sending(int channel, ChannelProgram program) {
        return paces(sendingAcross[channel], program.sendPeers().length);
    }

    private Pace[] paces(int[] across, int slots) {
        Pace[] result = new Pace[slots];
        for (int slot = 0; slot < slots; slot++) {
            // A slot without a member on the first node belongs to a tree, whose further edges lead to other nodes.
            int sharers = slot < across.length ? across[slot] : spansNodes ? 1 : 0;
            result[slot] = sharers > 0 ? betweenNodes(sharers) : insideNode();
        }
        return result;
    }

    private Pace betweenNodes(int sharers) {
        InstanceSpec instance = cluster.instance();
        return pace(
                transport().interStepPs() + router.interNodeLatencyPs(),
                instance.nic().effectiveRate().times(instance.nicsPerNode()),
                sharers,
                1);
    }

    private Pace insideNode() {
        InstanceSpec instance = cluster.instance();
        return pace(
                transport().intraStepPs() + instance.intraNode().latencyPs(),
                instance.intraNode().perGpuRate(),
                1,
                transport().smPerChannel());
    }

    private Pace pace(long latencyPs, Bandwidth shared, int sharers, int multiprocessors) {
        Bandwidth rate = shared.scaled(1.0 / (transport().wireRatio() * sharers * Math.max(1, scheduled.channels())));
        Bandwidth copyRate = transport().copyRate();
        return new Pace(latencyPs, rate.compareTo(copyRate) < 0 ? rate : copyRate, multiprocessors);
    }

    private Transport transport() {
        return scheduled.choice().transport();
    }
}
