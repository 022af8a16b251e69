package io.shardsim.simulator.plan;

import java.util.BitSet;

/**
 * Where one copy of the model states lies, each rank with a part that no other has. Leaves out that pipeline stages hold unequal parts.
 *
 * @param ranks that hold a part
 * @param ranksPerNodeMax of these, on the node that has most
 */
public record StateHolders(int ranks, int ranksPerNodeMax) {
    public StateHolders {
        if (ranksPerNodeMax < 1 || ranks < ranksPerNodeMax) {
            throw new IllegalArgumentException(
                    ranks + " ranks, at most " + ranksPerNodeMax + " on a node, hold no copy");
        }
    }

    /** The ranks of a set, dealt node by node. */
    public static StateHolders of(BitSet ranks, int ranksPerNode) {
        int most = 0;
        for (int first = 0; first < ranks.length(); first += ranksPerNode) {
            most = Math.max(most, ranks.get(first, first + ranksPerNode).cardinality());
        }
        return new StateHolders(ranks.cardinality(), most);
    }

    /** Nodes that the copy lies on; where some hold less than the fullest, as many as would hold it if all held as much. */
    public double nodes() {
        return (double) ranks / ranksPerNodeMax;
    }
}
