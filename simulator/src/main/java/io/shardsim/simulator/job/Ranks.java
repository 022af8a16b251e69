package io.shardsim.simulator.job;

/**
 * GPUs of a job, one per rank.
 *
 * @param worldSize number of ranks
 * @param perNode ranks per node
 * @param memoryLimit bytes in use on a rank, without fragmentation, beyond which writing the plan stops [bytes]
 */
public record Ranks(int worldSize, int perNode, long memoryLimit) {
    public Ranks {
        TrainingJob.requirePositive("world size", worldSize);
        TrainingJob.requirePositive("GPUs per node", perNode);
    }

    /** Creates ranks without a memory limit. */
    public Ranks(int worldSize, int perNode) {
        this(worldSize, perNode, Long.MAX_VALUE);
    }
}
