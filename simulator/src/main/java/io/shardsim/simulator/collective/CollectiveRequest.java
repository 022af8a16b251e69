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
    /** Null until somebody asks. */
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

    /** Whole buffer [bytes]. */
    public long totalBytes() {
        return totalBytes;
    }

    /** Global ranks in group order; member i owns shard i. */
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

    /** One rank's part, padded up so that all parts are equal [bytes]. */
    public long shardBytes() {
        return (totalBytes + members.length - 1) / members.length;
    }

    /** Which members live on which node. */
    public GroupPlacement placement() {
        if (placement == null) {
            placement = new GroupPlacement(this);
        }
        return placement;
    }
}
