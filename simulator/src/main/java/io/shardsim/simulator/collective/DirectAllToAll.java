package io.shardsim.simulator.collective;

/** All-to-all as grouped sends and receives: each shard is sent directly to its rank. Every rank sends and receives (n - 1) / n of the buffer. */
public final class DirectAllToAll extends DirectExchange {
    public DirectAllToAll() {
        super(CollectiveKind.ALL_TO_ALL);
    }
}
