package io.shardsim.simulator.collective;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Placement of a group's members on nodes. Group order is rank order (torch.distributed.new_group sorts its ranks too), so the members of a node are
 * consecutive.
 *
 * <p>Built once per request: every rank asks for its program, and a scan of the whole group each time would cost the square of its size.
 */
public final class GroupPlacement {
    /** First member on each node of the group, followed by the group size. */
    private final int[] firstMembers;
    /** Cached rails through nodes, by local ranks on the node and channel. */
    private final Map<Rail.Place, Rail.Way> ways = new HashMap<>();

    GroupPlacement(CollectiveRequest request) {
        int[] members = request.members();
        checkAscending(members, request.cluster().worldSize());
        int gpusPerNode = request.cluster().gpusPerNode();
        int[] firsts = new int[members.length + 1];
        int nodes = 0;
        for (int member = 0; member < members.length; member++) {
            if (member == 0 || members[member] / gpusPerNode != members[member - 1] / gpusPerNode) {
                firsts[nodes++] = member;
            }
        }
        firsts[nodes] = members.length;
        firstMembers = Arrays.copyOf(firsts, nodes + 1);
    }

    private static void checkAscending(int[] members, int worldSize) {
        for (int member = 0; member < members.length; member++) {
            int rank = members[member];
            if (rank < 0 || rank >= worldSize || member > 0 && members[member - 1] >= rank) {
                throw new IllegalArgumentException("member " + member + " of the group is rank " + rank
                        + "; ranks of a group ascend and lie between 0 and " + (worldSize - 1));
            }
        }
    }

    /** Returns the rail of a channel through a node; computed once for all nodes with the same local ranks. */
    Rail.Way way(Rail.Place place, CollectiveRequest request) {
        return ways.computeIfAbsent(place, unknown -> Rail.Way.of(unknown, request.cluster()));
    }

    /** Returns the number of nodes with members. */
    public int nodes() {
        return firstMembers.length - 1;
    }

    public int firstMember(int node) {
        return firstMembers[node];
    }

    /** Returns the number of members on a node. */
    public int membersOn(int node) {
        return firstMembers[node + 1] - firstMembers[node];
    }

    /** Returns the index of a member's node among the nodes of the group. */
    public int nodeOf(int member) {
        int found = Arrays.binarySearch(firstMembers, member);
        return found >= 0 ? found : -found - 2;
    }

    /** Returns whether every node has the same number of members. */
    boolean even() {
        for (int node = 1; node < nodes(); node++) {
            if (membersOn(node) != membersOn(0)) {
                return false;
            }
        }
        return true;
    }
}
