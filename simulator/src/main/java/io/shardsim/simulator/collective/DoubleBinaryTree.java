package io.shardsim.simulator.collective;

/**
 * NCCL's pair of binary trees over nodes: inner nodes of one are leaves of the other (but for one), so both together use every node's
 * network in both directions [1]. The first tree alternates leaves and inner nodes with node 0 as the root; the second is its mirror image
 * for an even number of nodes, and shifted by one for an odd number (NCCL, src/graph/trees.cc, ncclGetBtree and ncclGetDtree).
 *
 * <p>[1] Sanders, Speck and Traff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing 35(12), 2009.
 *
 * @param nodes number of nodes
 * @param second true for the second tree
 */
record DoubleBinaryTree(int nodes, boolean second) {
    /** Value for no node. */
    static final int NONE = -1;

    int parent(int node) {
        return fromFirst(firstParent(toFirst(node)));
    }

    /** Returns a child: the first (index 0) or the second (index 1). */
    int child(int node, int index) {
        return fromFirst(firstChild(toFirst(node), index));
    }

    private int toFirst(int node) {
        if (!second) {
            return node;
        }
        return nodes % 2 == 0 ? nodes - 1 - node : (node + nodes - 1) % nodes;
    }

    private int fromFirst(int node) {
        if (!second || node == NONE) {
            return node;
        }
        return nodes % 2 == 0 ? nodes - 1 - node : (node + 1) % nodes;
    }

    private int firstParent(int node) {
        if (node == 0) {
            return NONE;
        }
        int bit = Integer.lowestOneBit(node);
        int up = (node ^ bit) | (bit << 1);
        return up >= nodes ? node ^ bit : up;
    }

    private int firstChild(int node, int index) {
        if (node == 0) {
            // The only child of the root is larger than it, hence the second one.
            return index == 0 || nodes == 1 ? NONE : Integer.highestOneBit(nodes - 1);
        }
        int half = Integer.lowestOneBit(node) >> 1;
        if (half == 0) {
            return NONE;
        }
        if (index == 0) {
            return node - half;
        }
        while (half > 0 && node + half >= nodes) {
            half >>= 1;
        }
        return half == 0 ? NONE : node + half;
    }
}
