package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.collective.nccl.NcclGpu.Tuner;
import io.shardsim.topology.Cluster;
import java.util.stream.IntStream;

/**
 * Rings that NCCL finds for a group of ranks. Inside a node they follow the NVLinks between its members. Between nodes there is one per pair of a GPU
 * and a NIC under one PCIe switch. Each ring is duplicated: p4d.24xlarge has 8 channels (aws-ofi-nccl doc/efa-env-var.md: "the minimum for a 4-NIC
 * platform"), a DGX with eight NICs 16. A few fast rings are duplicated before that, at half the rate each.
 *
 * <p>A ring's rate is the highest one that NCCL tries (src/graph/search.cc) and that fits its share of the NICs, its PCIe link and its share of a
 * GPU's NVLinks; a GPU forwards all rings except the one that leaves the node next to it. Leaves out the rest of that search. Assumes that members
 * are placed alike on every node.
 *
 * @param ranks ranks of the group
 * @param nodes nodes with these ranks
 * @param count rings before they are duplicated
 * @param rate NCCL's estimate of the rate of one ring [bytes/us]
 * @param nvLinkRate maximum rate of one ring between nodes over a GPU's NVLinks [bytes/us]
 * @param channels number of rings after duplication
 * @param nvLinkShare share of a GPU's NVLinks that leads to other members on its node [1]
 */
record Rings(int ranks, int nodes, int count, double rate, double nvLinkRate, int channels, double nvLinkShare) {
    /** Maximum number of rings before duplication (src/include/device.h, MAXCHANNELS; src/init.cc, ringGraph). */
    private static final int COUNT_MAX = 32;
    /** Rate of a ring between nodes from which NCCL duplicates a few of them [bytes/us] (src/graph/search.cc, ncclTopoDupChannels). */
    private static final double FEW_DOUBLED_FROM = 25_000;
    /** Rate from which NCCL duplicates any number of them [bytes/us]. */
    private static final double ALL_DOUBLED_FROM = 50_000;

    static Rings of(int[] members, Cluster cluster, NcclGpu gpu) {
        int nodes = 1;
        for (int i = 1; i < members.length; i++) {
            if (cluster.nodeRank(members[i]) != cluster.nodeRank(members[i - 1])) {
                nodes++;
            }
        }
        int[] localRanks = onFirstNode(members, cluster);
        double nvLinkShare = cluster.instance().nvLinkShare(localRanks);
        if (nodes == 1) {
            int count = part(gpu.tuner().ring().count(), nvLinkShare);
            return new Rings(
                    members.length,
                    1,
                    count,
                    gpu.tuner().ring().rate(),
                    nvLinkRate(count, nvLinkShare, gpu),
                    part(gpu.channels(), nvLinkShare),
                    nvLinkShare);
        }
        int pairs = Math.max(1, pairs(localRanks, cluster));
        int nicsOfRing = Math.max(1, cluster.instance().nicsPerNode() / pairs);
        int found = Math.min(COUNT_MAX, pairs);
        double nicRate = cluster.instance().nic().lineRate().bytesPerSecond() / 1e6;
        double nvLinkRate = nvLinkRate(found, nvLinkShare, gpu);
        double[] rates = gpu.tuner().searched().betweenNodes();
        double limit = Math.min(nvLinkRate, cluster.instance().pcie().linkRate().bytesPerSecond() / 1e6);
        double rate = Tuner.atMost(Math.min(limit, nicsOfRing * nicRate), rates);
        double rateByOneNic = Tuner.atMost(Math.min(limit, nicRate), rates);
        int copies = isDoubled(found, rateByOneNic, gpu) ? 2 : 1;
        int count = Math.min(COUNT_MAX, copies * found);
        return new Rings(members.length, nodes, count, rate / copies, nvLinkRate / copies, 2 * count, nvLinkShare);
    }

    private static boolean isDoubled(int found, double rate, NcclGpu gpu) {
        return rate >= ALL_DOUBLED_FROM
                || rate >= FEW_DOUBLED_FROM && found <= gpu.tuner().ring().doubledCount();
    }

    private static double nvLinkRate(int count, double nvLinkShare, NcclGpu gpu) {
        return gpu.tuner().nvLinkRate() * nvLinkShare / Math.max(1, count - 1);
    }

    /** Scales a count for all NVLinks to the share of some, rounded, at least 1. */
    private static int part(int all, double nvLinkShare) {
        return Math.max(1, (int) Math.round(all * nvLinkShare));
    }

    /** Returns the local ranks of the members on the group's first node. */
    private static int[] onFirstNode(int[] members, Cluster cluster) {
        return IntStream.of(members)
                .takeWhile(member -> cluster.nodeRank(member) == cluster.nodeRank(members[0]))
                .map(cluster::localRank)
                .toArray();
    }

    /** Returns the number of disjoint pairs of a member and a NIC under one PCIe switch of a node. */
    private static int pairs(int[] localRanks, Cluster cluster) {
        int switches = cluster.instance().pcie().switches();
        int[] membersUnder = new int[switches];
        for (int localRank : localRanks) {
            membersUnder[cluster.pcieSwitchOfGpu(localRank)]++;
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
