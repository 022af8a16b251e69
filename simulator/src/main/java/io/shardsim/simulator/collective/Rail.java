package io.shardsim.simulator.collective;

import io.shardsim.topology.Cluster;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Route of one channel through one node: its NIC, and the order of the node's members, from entry to exit.
 *
 * <p>Channel c uses NIC c modulo the number of NICs, alternating between PCIe switches, so that a few channels use all switches. Entry and exit are
 * members under that NIC's PCIe switch, so that traffic between nodes crosses only GPU, PCIe switch and NIC. They are the first and the last such
 * member, and the next ones for each further NIC of the switch, so that no two NICs share one GPU's link. Only NICs next to a member are used: a
 * group with one GPU per node uses the NICs of that GPU's switch, whatever the channel. If only one member is under the switch, the exit is the
 * member before it, and its traffic crosses to the NIC's switch.
 *
 * <p>All nodes with the same local ranks have the same rail, so schedules are symmetric under rotation of the nodes.
 *
 * <p>Leaves out NCCL's search over rings (src/graph/search.cc) and its detour over NVLink to the GPU next to the NIC (PXN).
 *
 * @param nic NIC of the node
 * @param members positions in the group of the node's members, in the order of the ring
 */
public record Rail(int nic, int[] members) {

    public static Rail of(CollectiveRequest request, int node, int channel) {
        GroupPlacement placement = request.placement();
        int first = placement.firstMember(node);
        int count = placement.membersOn(node);
        Way way = placement.way(new Place(localRanks(request, first, count), channel), request);
        int[] members = new int[count];
        for (int position = 0; position < count; position++) {
            members[position] = first + way.order()[position];
        }
        return new Rail(way.nic(), members);
    }

    /** Returns the NIC through which a member itself reaches other nodes. */
    public static int ownNic(CollectiveRequest request, int member, int channel) {
        Place place = new Place(localRanks(request, member, 1), channel);
        return request.placement().way(place, request).nic();
    }

    /** Returns the number of NICs that the channels of a node use. */
    public static int nicsBeside(CollectiveRequest request, int node) {
        GroupPlacement placement = request.placement();
        BitSet localRanks = localRanks(request, placement.firstMember(node), placement.membersOn(node));
        return placement.way(new Place(localRanks, 0), request).nics();
    }

    public int entry() {
        return members[0];
    }

    public int exit() {
        return members[members.length - 1];
    }

    public int positionOf(int member) {
        for (int position = 0; position < members.length; position++) {
            if (members[position] == member) {
                return position;
            }
        }
        throw new IllegalArgumentException("member " + member + " is not on this node");
    }

    /** Returns the local ranks of consecutive members as bits. */
    private static BitSet localRanks(CollectiveRequest request, int first, int count) {
        BitSet localRanks = new BitSet();
        for (int member = first; member < first + count; member++) {
            localRanks.set(request.cluster().localRank(request.members()[member]));
        }
        return localRanks;
    }

    /**
     * Returns the NICs next to the given GPUs: the first of every PCIe switch, then the second of each, and so on; all NICs if none is next to them.
     */
    private static int[] usableNics(BitSet localRanks, Cluster cluster) {
        int nics = cluster.instance().nicsPerNode();
        int[] usable = IntStream.range(0, nics)
                .filter(nic -> !gpusBeside(localRanks, nic, cluster).isEmpty())
                .boxed()
                .sorted(Comparator.comparingInt(nic -> nicsBefore(nic, cluster)))
                .mapToInt(nic -> nic)
                .toArray();
        return usable.length > 0 ? usable : IntStream.range(0, nics).toArray();
    }

    /** Returns the number of NICs before this one under the same PCIe switch. */
    private static int nicsBefore(int nic, Cluster cluster) {
        return (int) IntStream.range(0, nic)
                .filter(other -> cluster.pcieSwitchOfNic(other) == cluster.pcieSwitchOfNic(nic))
                .count();
    }

    /** Returns those of the given GPUs that share a PCIe switch with a NIC. */
    private static BitSet gpusBeside(BitSet localRanks, int nic, Cluster cluster) {
        BitSet beside = new BitSet();
        localRanks.stream()
                .filter(gpu -> cluster.pcieSwitchOfGpu(gpu) == cluster.pcieSwitchOfNic(nic))
                .forEach(beside::set);
        return beside;
    }

    /** Everything besides the cluster that determines a rail: the local ranks of a node's members, as bits, and the channel. */
    record Place(BitSet localRanks, int channel) {}

    /**
     * Rail that applies to every node with the same local ranks.
     *
     * @param nic NIC of the channel
     * @param nics number of NICs that all channels use
     * @param order order of the node's members, counted from its first one
     */
    record Way(int nic, int nics, int[] order) {

        static Way of(Place place, Cluster cluster) {
            int[] nics = usableNics(place.localRanks(), cluster);
            int nic = nics[place.channel() % nics.length];
            BitSet beside = gpusBeside(place.localRanks(), nic, cluster);
            int count = place.localRanks().cardinality();
            int turn = nicsBefore(nic, cluster);
            int entry = beside.isEmpty() ? 0 : positionOf(localRank(beside, turn), place.localRanks());
            int exit = beside.isEmpty()
                    ? 0
                    : positionOf(localRank(beside, turn + beside.cardinality() - 1), place.localRanks());
            return new Way(nic, nics.length, visit(count, entry, exit == entry ? (entry + count - 1) % count : exit));
        }

        /** Returns a member of a set of local ranks, by cyclic index. */
        private static int localRank(BitSet localRanks, int turn) {
            return localRanks.stream()
                    .skip(turn % localRanks.cardinality())
                    .findFirst()
                    .orElseThrow();
        }

        private static int positionOf(int localRank, BitSet localRanks) {
            return localRanks.get(0, localRank).cardinality();
        }

        private static int[] visit(int count, int entry, int exit) {
            int[] order = new int[count];
            int position = 0;
            for (int i = 0; i < count; i++) {
                int member = (entry + i) % count;
                if (member == entry || member != exit) {
                    order[position++] = member;
                }
            }
            if (exit != entry) {
                order[position] = exit;
            }
            return order;
        }
    }
}
