package io.shardsim.simulator.run;

import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Partition of the simulated nodes into logical processes: whole leaves, pods or NVLink domains, so that only traffic through the switches above them
 * crosses, in equal, contiguous shares.
 */
final class Partition {
    private static final int NONE = -1;

    private final List<List<Integer>> nodesOfProcess = new ArrayList<>();
    private final int[] leavesOfProcess;
    private final int leaves;
    /** Index of a node's leaf within its logical process, by node. */
    private final int[] leafOfNode;

    /** @param processesMax maximum number, at least 1; there are fewer if there are fewer leaves */
    Partition(Cluster cluster, NodeClasses nodes, int processesMax) {
        List<List<Integer>> nodesOfLeaf = nodesOfLeaf(cluster, nodes);
        leaves = nodesOfLeaf.size();
        int processes = Math.min(processesMax, leaves);
        leavesOfProcess = new int[processes];
        leafOfNode = new int[cluster.nodes()];
        Arrays.fill(leafOfNode, NONE);
        for (int process = 0; process < processes; process++) {
            int from = process * leaves / processes;
            int to = (process + 1) * leaves / processes;
            List<Integer> own = new ArrayList<>();
            for (int leaf = from; leaf < to; leaf++) {
                for (int node : nodesOfLeaf.get(leaf)) {
                    own.add(node);
                    leafOfNode[node] = leaf - from;
                }
            }
            leavesOfProcess[process] = to - from;
            nodesOfProcess.add(List.copyOf(own));
        }
    }

    private static List<List<Integer>> nodesOfLeaf(Cluster cluster, NodeClasses nodes) {
        List<List<Integer>> leaves = new ArrayList<>();
        int lastLeaf = NONE;
        for (int node = 0; node < cluster.nodes(); node++) {
            if (nodes.isSimulated(node)) {
                if (cluster.groupOf(node) != lastLeaf) {
                    lastLeaf = cluster.groupOf(node);
                    leaves.add(new ArrayList<>());
                }
                leaves.get(leaves.size() - 1).add(node);
            }
        }
        return leaves;
    }

    int processes() {
        return nodesOfProcess.size();
    }

    /** Returns the number of simulated leaves. */
    int leaves() {
        return leaves;
    }

    int leavesOf(int process) {
        return leavesOfProcess[process];
    }

    /** Returns the nodes that a logical process simulates, ascending. */
    List<Integer> nodesOf(int process) {
        return nodesOfProcess.get(process);
    }

    /** Returns the index of a node's leaf within its logical process; -1 for a node that is not simulated. */
    int leafInProcess(int node) {
        return leafOfNode[node];
    }
}
