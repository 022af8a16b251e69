package io.shardsim.simulator.collective;

/**
 * All-gather in one step: every rank sends its shard directly to every other. Behind one switch it takes one latency instead of the ring's n - 1.
 * Between nodes it sends each shard once per rank of a node, where a ring sends it once per node.
 */
public final class DirectAllGather extends DirectExchange {
    public DirectAllGather() {
        super(CollectiveKind.ALL_GATHER);
    }
}
