package io.shardsim.simulator.collective;

/**
 * All-gather in one step: every rank sends its shard straight to every other one. Behind one switch it needs one latency instead of the
 * ring's n - 1; between nodes it moves each shard once for every rank of a node, where a ring moves it once for the node.
 */
public final class DirectAllGather extends DirectExchange {
    public DirectAllGather() {
        super(CollectiveKind.ALL_GATHER);
    }
}
