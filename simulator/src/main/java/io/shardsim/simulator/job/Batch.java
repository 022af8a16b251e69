package io.shardsim.simulator.job;

/**
 * Samples of one rank in one training step.
 *
 * @param sequenceLength tokens of one sample
 * @param microBatch samples per forward and backward
 * @param accumulationSteps micro-batches per step
 */
public record Batch(int sequenceLength, int microBatch, int accumulationSteps) {
    public Batch {
        TrainingJob.requirePositive("sequence_length", sequenceLength);
        TrainingJob.requirePositive("micro_batch", microBatch);
        TrainingJob.requirePositive("accumulation steps", accumulationSteps);
    }
}
