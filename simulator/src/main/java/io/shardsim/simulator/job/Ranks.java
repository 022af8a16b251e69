package io.shardsim.simulator.job;

/**
 * The GPUs that run a job, one a rank.
 *
 * @param worldSize all ranks
 * @param perNode ranks of one node
 * @param memoryLimit bytes in use on a rank, fragmentation apart, beyond which nobody needs the rest of a plan [bytes]
 */
public record Ranks(int worldSize, int perNode, long memoryLimit) {
    public Ranks {
        TrainingJob.requirePositive("world size", worldSize);
        TrainingJob.requirePositive("GPUs per node", perNode);
    }

    /** Ranks whose plans are written to their end. */
    public Ranks(int worldSize, int perNode) {
        this(worldSize, perNode, Long.MAX_VALUE);
    }
}
