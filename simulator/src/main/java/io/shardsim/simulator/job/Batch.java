package io.shardsim.simulator.job;

/**
 * The samples of one rank in one training step.
 *
 * @param sequenceLength tokens of one sample
 * @param microBatch samples of one forward-backward
 * @param accumulationSteps micro-batches of the step
 */
public record Batch(int sequenceLength, int microBatch, int accumulationSteps) {
    public Batch {
        TrainingJob.requirePositive("sequence_length", sequenceLength);
        TrainingJob.requirePositive("micro_batch", microBatch);
        TrainingJob.requirePositive("accumulation steps", accumulationSteps);
    }
}
