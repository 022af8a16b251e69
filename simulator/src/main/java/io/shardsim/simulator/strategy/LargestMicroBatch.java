package io.shardsim.simulator.strategy;

import java.util.function.Supplier;

/**
 * The largest micro-batch that fits: of the divisors of a rank's samples in a training step, the largest whose plan stays
 * within the memory of the GPU.
 *
 * <p>Global batch = micro-batch x accumulation steps x data-parallel ranks, so only divisors of global batch / ranks come into question.
 * Memory grows with the micro-batch, and so does the work between two gathers: the largest that fits is the fastest in most cases, though a
 * published run may have used another.
 */
public final class LargestMicroBatch {
    private LargestMicroBatch() {}

    /**
     * What the search found.
     *
     * @param job the job with that micro-batch; with micro-batch 1 when nothing fits
     * @param ledger its memory
     * @param fits whether it stays within the capacity
     * @param plan its plan, written at once or when asked for
     */
    public record Found(TrainingJob job, MemoryLedger ledger, boolean fits, Supplier<StepPlan> plan) {}

    /**
     * Searches.
     *
     * @param job micro-batch and accumulation steps of the given job are replaced; their product, a rank's samples in a step, is kept
     * @param capacityBytes memory of one GPU
     */
    public static Found of(ShardingStrategy strategy, TrainingJob job, long capacityBytes) {
        int samples = Math.multiplyExact(job.microBatch(), job.accumulationSteps());
        for (int microBatch = samples; microBatch > 1; microBatch--) {
            if (samples % microBatch == 0) {
                Found found = measure(strategy, job.withMicroBatch(microBatch, samples / microBatch), capacityBytes);
                if (found.fits()) {
                    return found;
                }
            }
        }
        return measure(strategy, job.withMicroBatch(1, samples), capacityBytes);
    }

    /** The micro-batch that the job has, and whether it fits. */
    public static Found given(ShardingStrategy strategy, TrainingJob job, long capacityBytes) {
        return measure(strategy, job, job, capacityBytes);
    }

    /**
     * The job with as few checkpointed layers as fit, at the micro-batch that it has; the job itself where fewer do not. Each layer that is not
     * checkpointed adds what it keeps, so memory only grows.
     */
    public static Found withFewestCheckpoints(ShardingStrategy strategy, TrainingJob job, long capacityBytes) {
        Found fewest = measure(strategy, job, capacityBytes);
        int tooFew = -1;
        while (fewest.job().checkpointedLayers() - tooFew > 1) {
            int layers = (fewest.job().checkpointedLayers() + tooFew) / 2;
            Found fewer = measure(strategy, job.withCheckpointedLayers(layers), capacityBytes);
            if (fewer.fits()) {
                fewest = fewer;
            } else {
                tooFew = layers;
            }
        }
        return fewest;
    }

    /** Two micro-batches show the peak, or as many as a pipeline fills with: all later ones are like the last of them. */
    private static Found measure(ShardingStrategy strategy, TrainingJob job, long capacityBytes) {
        int few = job.parallel().microBatchesToPeak(job.accumulationSteps());
        return measure(strategy, job, job.withMicroBatch(job.microBatch(), few), capacityBytes);
    }

    private static Found measure(ShardingStrategy strategy, TrainingJob job, TrainingJob shown, long capacityBytes) {
        StepPlan plan = strategy.plan(shown);
        MemoryLedger ledger = MemoryLedger.of(plan);
        boolean whole = shown.accumulationSteps() == job.accumulationSteps();
        return new Found(
                job, ledger, ledger.headroomBytes(capacityBytes) >= 0, whole ? () -> plan : () -> strategy.plan(job));
    }
}
