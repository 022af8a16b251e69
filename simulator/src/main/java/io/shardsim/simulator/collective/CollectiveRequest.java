package io.shardsim.simulator.collective;

import io.shardsim.topology.Cluster;
import org.jspecify.annotations.Nullable;

/** One collective over one group of ranks. */
public final class CollectiveRequest {
    private final CollectiveKind kind;
    private final long totalBytes;
    private final int[] members;
    private final Cluster cluster;
    private final Transport transport;
    /** Created on first use. */
    private @Nullable GroupPlacement placement;

    /**
     * @param totalBytes whole buffer [bytes]
     * @param members global ranks in group order; member i owns shard i
     */
    public CollectiveRequest(
            CollectiveKind kind, long totalBytes, int[] members, Cluster cluster, Transport transport) {
        this.kind = kind;
        this.totalBytes = totalBytes;
        this.members = members;
        this.cluster = cluster;
        this.transport = transport;
    }

    public CollectiveKind kind() {
        return kind;
    }

    /** Returns the size of the whole buffer [bytes]. */
    public long totalBytes() {
        return totalBytes;
    }

    /** Returns the global ranks in group order; member i owns shard i. */
    public int[] members() {
        return members;
    }

    public Cluster cluster() {
        return cluster;
    }

    public Transport transport() {
        return transport;
    }

    public int size() {
        return members.length;
    }

    /** Returns the size of a rank's shard, padded so that all shards are equal [bytes]. */
    public long shardBytes() {
        return (totalBytes + members.length - 1) / members.length;
    }

    /** Returns the placement of the members on nodes. */
    public GroupPlacement placement() {
        if (placement == null) {
            placement = new GroupPlacement(this);
        }
        return placement;
    }
}
