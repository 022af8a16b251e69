package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.HostMemory;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.PlanSize;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.ActivationMemory;
import io.shardsim.simulator.workload.Checkpointing;
import java.util.function.Supplier;

/**
 * Finds the largest micro-batch that fits: among the divisors of a rank's samples per step, the largest that the strategy supports and that fits with
 * fragmentation. If none does, the smallest that fits without: a step that runs with an explicit micro-batch also runs without it.
 *
 * <p>Global batch = micro-batch x accumulation steps x data-parallel ranks, so only divisors of global batch / ranks qualify. Memory grows with the
 * micro-batch, as does the work between two gathers: the largest that fits is usually the fastest, though a published run may have used another.
 */
public final class LargestMicroBatch {
    /** Share of a model's layers below which disabling checkpoints is not tried. */
    private static final double LAYERS_WORTH_SPARING = 0.1;

    /** Largest micro-batch tried, more than any GPU has room for. */
    public static final int MICRO_BATCH_MAX = 65_536;

    /** Number of micro-batches above which a few of them predict the plan's size. */
    private static final int MICRO_BATCHES_TO_FORESEE = 64;

    private LargestMicroBatch() {}

    /**
     * Result of the search.
     *
     * @param job job with that micro-batch; with the smallest if nothing fits
     * @param ledger its memory
     * @param fit how the memory fits
     * @param plan plan of the job, written at once or on demand
     */
    public record Found(TrainingJob job, MemoryLedger ledger, MemoryFit fit, Supplier<StepPlan> plan) {
        public boolean fits() {
            return fit.fits();
        }
    }

    /**
     * Finds the largest micro-batch.
     *
     * @param job micro-batch and accumulation steps of the given job are replaced; their product, a rank's samples in a step, is kept
     */
    public static Found of(ShardingStrategy strategy, TrainingJob job, GpuMemory memory) {
        int samples = Math.multiplyExact(job.microBatch(), job.accumulationSteps());
        Found smallest = null;
        for (int microBatch = Math.min(samples, MICRO_BATCH_MAX); microBatch > 1; microBatch--) {
            if (samples % microBatch != 0) {
                continue;
            }
            TrainingJob larger = job.withMicroBatch(microBatch, samples / microBatch);
            if (strategy.problems(larger).isEmpty()) {
                Found found = measure(strategy, larger, memory);
                if (found.fit().isRoomy()) {
                    return found;
                }
                smallest = found.fits() ? found : smallest;
            }
        }
        Found one = measure(strategy, job.withMicroBatch(1, samples), memory);
        // Under no_sync a single micro-batch per step may fit where several, which accumulate gradients, do not.
        return one.fits() || smallest == null ? one : smallest;
    }

    /** Returns the job with its own micro-batch. */
    public static Found given(ShardingStrategy strategy, TrainingJob job, GpuMemory memory) {
        // An interleaved schedule takes as many micro-batches at once as stages.
        int stages = job.parallel().stages();
        int few = Math.max(1, MICRO_BATCHES_TO_FORESEE / stages) * stages;
        if (job.accumulationSteps() > few) {
            TrainingJob some = job.withMicroBatch(job.microBatch(), few);
            foresee(job, some, strategy.plan(some));
        }
        return measure(strategy, job, job, memory);
    }

    /**
     * Reduces the checkpointed layers of a found job to the fewest that fit with fragmentation. Memory grows linearly with the layers not
     * checkpointed, so two peaks predict the third. Returns the found job if fewer than a tenth of the layers could go without.
     */
    public static Found withFewestCheckpoints(ShardingStrategy strategy, Found found, GpuMemory memory) {
        TrainingJob job = found.job();
        double layerBytes = (double) sparedBytes(job) / job.model().layers();
        double spare = found.fit().headroomBytes() / layerBytes;
        if (spare < LAYERS_WORTH_SPARING * job.model().layers()) {
            return found;
        }
        Found fewest = found;
        int tooFew = -1;
        int next = (int) (job.kept().checkpointedLayers() - spare);
        while (fewest.job().kept().checkpointedLayers() - tooFew > 1) {
            int layers = Math.max(tooFew + 1, Math.min(next, fewest.job().kept().checkpointedLayers() - 1));
            Found tried = measure(strategy, job.withCheckpointedLayers(layers), memory);
            layerBytes = (double) (tried.ledger().peakBytes() - found.ledger().peakBytes())
                    / (job.kept().checkpointedLayers() - layers);
            next = layers - (int) Math.floor(tried.fit().headroomBytes() / Math.max(1, layerBytes));
            if (tried.fit().isRoomy()) {
                fewest = tried;
            } else {
                tooFew = layers;
            }
        }
        return fewest;
    }

    /** Returns the bytes saved if each layer is checkpointed. */
    private static long sparedBytes(TrainingJob job) {
        ActivationMemory activations = job.activations();
        long bytes = 0;
        for (int layer = 0; layer < job.model().layers(); layer++) {
            bytes += activations.layerBytes(layer, job.microBatch(), job.rankSequence(), Checkpointing.NONE)
                    - activations.layerBytes(layer, job.microBatch(), job.rankSequence(), job.checkpointing());
        }
        return bytes;
    }

    /** Measures memory with two micro-batches, or as many as fill the pipeline: later ones repeat the last. */
    private static Found measure(ShardingStrategy strategy, TrainingJob job, GpuMemory memory) {
        int few = job.parallel().microBatchesToPeak(job.accumulationSteps());
        return measure(strategy, job, job.withMicroBatch(job.microBatch(), few), memory);
    }

    /** Returns the plan of all micro-batches, given the plan of some. */
    private static StepPlan whole(ShardingStrategy strategy, TrainingJob job, TrainingJob shown, StepPlan some) {
        foresee(job, shown, some);
        return strategy.plan(job);
    }

    private static void foresee(TrainingJob job, TrainingJob shown, StepPlan some) {
        PlanSize.foresee(
                (long) some.size() * job.accumulationSteps() / shown.accumulationSteps(),
                "a step of " + job.accumulationSteps() + " micro-batches of " + job.microBatch(),
                "a smaller global_batch, a larger micro_batch or more nodes",
                "training.global_batch");
    }

    private static Found measure(ShardingStrategy strategy, TrainingJob job, TrainingJob shown, GpuMemory memory) {
        StepPlan plan = strategy.plan(shown);
        MemoryLedger ledger = MemoryLedger.of(plan);
        boolean whole = shown.accumulationSteps() == job.accumulationSteps();
        MemoryFit fit = strategy.fit(memory.fit(ledger), job, plan, memory)
                .with(new HostMemory(strategy.hostBytes(job), memory.hostBytes()));
        return new Found(job, ledger, fit, whole ? () -> plan : () -> whole(strategy, job, shown, plan));
    }
}
