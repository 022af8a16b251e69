package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.collective.nccl.NcclGpu.Tuner;
import io.shardsim.topology.Cluster;

/**
 * The rings that NCCL finds for a group of ranks. Inside a node they are those of the GPU's NVLinks. Between nodes there is one for each
 * pair of a GPU and a NIC under one PCIe switch; each ring is used twice, so p4d.24xlarge has 8 channels (aws-ofi-nccl
 * doc/efa-env-var.md: "the minimum for a 4-NIC platform") and a DGX with eight NICs 16.
 *
 * <p>A ring's rate is the highest of those that NCCL tries (src/graph/search.cc) which its share of the NICs and of a GPU's NVLinks carries; a GPU
 * passes on all rings but the one that leaves the node beside it. Leaves out the rest of that search; members are taken to sit on every node as they
 * sit on the first.
 *
 * @param ranks ranks of the group
 * @param nodes nodes that hold them
 * @param count rings before they are used twice
 * @param rate what NCCL takes one of them for [bytes/us]
 * @param channels rings with each used twice
 */
record Rings(int ranks, int nodes, int count, double rate, int channels) {
    static Rings of(int[] members, Cluster cluster, NcclGpu gpu) {
        int nodes = 1;
        for (int i = 1; i < members.length; i++) {
            if (cluster.nodeRank(members[i]) != cluster.nodeRank(members[i - 1])) {
                nodes++;
            }
        }
        if (nodes == 1) {
            return new Rings(members.length, 1, gpu.tuner().rings(), gpu.tuner().ringRate(), gpu.channels());
        }
        int nics = cluster.instance().nicsPerNode();
        int count = Math.max(1, pairs(members, cluster));
        double nicRate = cluster.instance().nic().lineRate().bytesPerSecond() / 1e6;
        double limit = Math.min(Math.max(1, nics / count) * nicRate, nvLinkShare(count, gpu));
        double rate = Tuner.atMost(limit, gpu.tuner().ratesBetweenNodes());
        return new Rings(members.length, nodes, count, rate, 2 * count);
    }

    /** What a GPU's NVLinks give each of so many rings between nodes at most [bytes/us]. */
    static double nvLinkShare(int count, NcclGpu gpu) {
        return gpu.tuner().nvLinkRate() / Math.max(1, count - 1);
    }

    /** Pairs of a member of a node and a NIC under one PCIe switch, each in one pair only. */
    private static int pairs(int[] members, Cluster cluster) {
        int switches = cluster.instance().pcie().switches();
        int[] membersUnder = new int[switches];
        int firstNode = cluster.nodeRank(members[0]);
        for (int i = 0; i < members.length && cluster.nodeRank(members[i]) == firstNode; i++) {
            membersUnder[cluster.pcieSwitchOfGpu(cluster.localRank(members[i]))]++;
        }
        int[] nicsUnder = new int[switches];
        for (int nic = 0; nic < cluster.instance().nicsPerNode(); nic++) {
            nicsUnder[cluster.pcieSwitchOfNic(nic)]++;
        }
        int pairs = 0;
        for (int under = 0; under < switches; under++) {
            pairs += Math.min(membersUnder[under], nicsUnder[under]);
        }
        return pairs;
    }
}
