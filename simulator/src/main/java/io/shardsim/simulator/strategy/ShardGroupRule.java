package io.shardsim.simulator.strategy;

/**
 * Rule of thumb for a shard group: one more node per 3 billion parameters, rounded up to a power of two [1]. It applies to p4d.24xlarge, 8 GPUs of 40
 * GB each.
 *
 * <p>[1] Amazon SageMaker developer guide, Sharded Data Parallelism.
 */
public final class ShardGroupRule {
    private static final long PARAMETERS_PER_NODE = 3_000_000_000L;

    private ShardGroupRule() {}

    /** Returns the ranks of the recommended group, a divisor of the world size. */
    public static int ranks(long parameters, int gpusPerNode, int worldSize) {
        long nodes = (parameters + PARAMETERS_PER_NODE - 1) / PARAMETERS_PER_NODE;
        long rounded = Math.max(1, Long.highestOneBit(2 * nodes - 1));
        int size = (int) Math.min(rounded * gpusPerNode, worldSize);
        while (worldSize % size != 0) {
            size++;
        }
        return size;
    }
}
