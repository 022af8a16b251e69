package io.shardsim.simulator.collective;

import io.shardsim.topology.Cluster;

/**
 * One collective over one group of ranks.
 *
 * @param totalBytes whole buffer [bytes]
 * @param members global ranks in group order; member i owns shard i
 */
public record CollectiveRequest(
        CollectiveKind kind, long totalBytes, int[] members, Cluster cluster, Transport transport) {

    public int size() {
        return members.length;
    }

    /** One rank's part, padded up so that all parts are equal [bytes]. */
    public long shardBytes() {
        return (totalBytes + members.length - 1) / members.length;
    }
}
