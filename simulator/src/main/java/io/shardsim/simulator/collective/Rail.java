package io.shardsim.simulator.collective;

import io.shardsim.topology.Cluster;

/**
 * The way of one channel through one node: the NIC that it uses and the order in which it visits the members on the node, the entry first
 * and the exit last.
 *
 * <p>Channel c uses NIC c modulo the NICs, one PCIe switch after the other, so that few channels spread over all switches. The entry is the
 * first member under that NIC's PCIe switch and the exit the last one under it, so that traffic between nodes crosses only GPU, PCIe switch
 * and NIC. Only NICs beside a member are used: a group with one GPU on each node sends by the NICs of that GPU's own switch, whatever the
 * channel. Where a single member sits under the switch, the exit is the member before it, and its traffic crosses to the NIC's switch.
 *
 * <p>All nodes that hold the same local ranks have the same way, so schedules are symmetric under rotation of the nodes.
 *
 * <p>Leaves out NCCL's search over rings (src/graph/search.cc) and its detour over NVLink to the GPU beside the NIC (PXN).
 *
 * @param nic NIC of the node
 * @param members position in the group of each member on the node, in the order of the visit
 */
record Rail(int nic, int[] members) {

    static Rail of(CollectiveRequest request, int node, int channel) {
        GroupPlacement placement = GroupPlacement.of(request);
        int first = placement.firstMember(node);
        int count = placement.membersOn(node);
        int nic = nic(request, first, count, channel);
        int entry = -1;
        int exit = -1;
        for (int i = 0; i < count; i++) {
            if (switchOf(request, first + i) == request.cluster().pcieSwitchOfNic(nic)) {
                entry = entry < 0 ? i : entry;
                exit = i;
            }
        }
        entry = Math.max(entry, 0);
        if (exit <= entry) {
            exit = (entry + count - 1) % count;
        }
        return new Rail(nic, visit(first, count, entry, exit));
    }

    /** NIC by which a member itself reaches other nodes, without help of others on its node. */
    static int ownNic(CollectiveRequest request, int member, int channel) {
        return nic(request, member, 1, channel);
    }

    /** Number of NICs that the channels of a node use. */
    static int nicsBeside(CollectiveRequest request, int node) {
        GroupPlacement placement = GroupPlacement.of(request);
        long switches = switchesOf(request, placement.firstMember(node), placement.membersOn(node));
        int usable = usable(request.cluster(), switches);
        return usable == 0 ? request.cluster().instance().nicsPerNode() : usable;
    }

    int entry() {
        return members[0];
    }

    int exit() {
        return members[members.length - 1];
    }

    int positionOf(int member) {
        for (int position = 0; position < members.length; position++) {
            if (members[position] == member) {
                return position;
            }
        }
        throw new IllegalArgumentException("member " + member + " is not on this node");
    }

    private static int[] visit(int first, int count, int entry, int exit) {
        int[] members = new int[count];
        int position = 0;
        for (int i = 0; i < count; i++) {
            int local = (entry + i) % count;
            if (local == entry || local != exit) {
                members[position++] = first + local;
            }
        }
        if (exit != entry) {
            members[position] = first + exit;
        }
        return members;
    }

    /** The NIC of a channel among those beside the given members; among all when none is. */
    private static int nic(CollectiveRequest request, int first, int count, int channel) {
        Cluster cluster = request.cluster();
        int nics = cluster.instance().nicsPerNode();
        long switches = switchesOf(request, first, count);
        int usable = usable(cluster, switches);
        return usable == 0 ? channel % nics : nicAt(cluster, switches, channel % usable);
    }

    private static int usable(Cluster cluster, long switches) {
        int usable = 0;
        for (int nic = 0; nic < cluster.instance().nicsPerNode(); nic++) {
            usable += isOn(switches, cluster.pcieSwitchOfNic(nic)) ? 1 : 0;
        }
        return usable;
    }

    /** The NIC at a position in the order: the first NIC of every switch, then the second one of every switch, and so on. */
    private static int nicAt(Cluster cluster, long switches, int position) {
        int nics = cluster.instance().nicsPerNode();
        int passed = 0;
        for (int layer = 0; layer < nics; layer++) {
            int before = 0;
            for (int nic = 0; nic < nics; nic++) {
                int pcieSwitch = cluster.pcieSwitchOfNic(nic);
                before = nic > 0 && pcieSwitch == cluster.pcieSwitchOfNic(nic - 1) ? before + 1 : 0;
                if (before == layer && isOn(switches, pcieSwitch) && passed++ == position) {
                    return nic;
                }
            }
        }
        throw new IllegalArgumentException("no NIC at position " + position);
    }

    /** PCIe switches above the members, a bit for each; a node has at most 64 GPUs, hence no more switches in use. */
    private static long switchesOf(CollectiveRequest request, int first, int count) {
        long switches = 0;
        for (int member = first; member < first + count; member++) {
            switches |= 1L << switchOf(request, member);
        }
        return switches;
    }

    private static boolean isOn(long switches, int pcieSwitch) {
        return (switches >> pcieSwitch & 1) != 0;
    }

    private static int switchOf(CollectiveRequest request, int member) {
        Cluster cluster = request.cluster();
        return cluster.pcieSwitchOfGpu(cluster.localRank(request.members()[member]));
    }
}
