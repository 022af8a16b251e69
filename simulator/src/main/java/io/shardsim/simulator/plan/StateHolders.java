package io.shardsim.simulator.plan;

import java.util.BitSet;

/**
 * Ranks that hold one copy of the model states, each a different shard. Not modelled: pipeline stages hold unequal shares.
 *
 * @param ranks ranks that hold a shard
 * @param ranksPerNodeMax maximum of these on one node
 */
public record StateHolders(int ranks, int ranksPerNodeMax) {
    public StateHolders {
        if (ranksPerNodeMax < 1 || ranks < ranksPerNodeMax) {
            throw new IllegalArgumentException(
                    ranks + " ranks, at most " + ranksPerNodeMax + " on a node, hold no copy");
        }
    }

    /** Creates holders from a set of ranks, numbered node by node. */
    public static StateHolders of(BitSet ranks, int ranksPerNode) {
        int most = 0;
        for (int first = 0; first < ranks.length(); first += ranksPerNode) {
            most = Math.max(most, ranks.get(first, first + ranksPerNode).cardinality());
        }
        return new StateHolders(ranks.cardinality(), most);
    }

    /**
     * Returns the number of nodes that hold the copy. If some hold fewer shards than the fullest node, returns the equivalent number of full nodes,
     * which may be fractional.
     */
    public double nodes() {
        return (double) ranks / ranksPerNodeMax;
    }
}
