package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.AllocatorReplay;
import io.shardsim.simulator.strategy.writing.AllocatorReplay.Gradients;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import java.util.Map;

/**
 * PyTorch's Distributed Data Parallel: every rank holds all model states; gradients are all-reduced over all ranks in buckets, overlapped with
 * backward [1].
 *
 * <ul>
 *   <li>Buckets collect gradients in backward order, and close when they reach their size; the first is smaller, so that communication starts early
 *       [1, section 3.2.3].
 *   <li>Gradients are copied into the bucket, and back after the all-reduce [2, Reducer::mark_variable_ready_dense, finalize_bucket_dense].
 *   <li>With gradient accumulation only the last micro-batch is reduced (no_sync) [1, section 3.2.4].
 *   <li>Mixed precision is torch.autocast: parameters and gradients stay in FP32, each layer's parameters are cast for its forward, and the casts are
 *       saved for its backward.
 * </ul>
 *
 * <p>Model states: 16 bytes per parameter on every rank, plus buckets as large as the gradients.
 *
 * <p>Leaves out unused parameters, broadcast of module buffers, and communication hooks.
 *
 * <p>[1] Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training, arXiv:2006.15704. [2]
 * torch/csrc/distributed/c10d/reducer.cpp, PyTorch 2.0.
 */
public class Ddp extends ShardingStrategy {
    public Ddp(StrategyParameters settings) {
        super(settings);
    }

    @Override
    protected MemoryFit fit(MemoryFit byLedger, TrainingJob job, StepPlan plan, GpuMemory memory) {
        return isPyTorchs() ? AllocatorReplay.refine(byLedger, job, plan, memory, Gradients.BUFFER) : byLedger;
    }

    @Override
    public StepPlan plan(TrainingJob job) {
        return StepWriter.write(
                job,
                settings,
                StepWriter.ALLOCATED_IN_STEP,
                writer -> ReplicatedStep.write(job, writer, stage -> step(job, writer, stage)));
    }

    /** Returns whether this is PyTorch's; other software extends it. */
    boolean isPyTorchs() {
        return true;
    }

    /** Returns the writer of a stage's step. */
    ReplicatedStep step(TrainingJob job, StepWriter writer, int stage) {
        return new Step(job, writer, stage);
    }

    @Override
    protected boolean updatesIn16Bits() {
        return isPyTorchs();
    }

    @Override
    protected boolean gathersMatrices() {
        return isPyTorchs();
    }

    @Override
    protected boolean trainsAdapters() {
        return isPyTorchs();
    }

    @Override
    protected Map<String, String> ownIdle(TrainingJob job) {
        return job.accumulationSteps() == 1
                ? Map.of("sync_every_micro_batch", "with one micro-batch per step")
                : Map.of();
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        return ShardGroups.shard(1, job);
    }

    /** Step with model states on every rank, under autocast. */
    class Step extends ReplicatedStep {
        private boolean firstBucketGone;

        Step(TrainingJob job, StepWriter writer, int stage) {
            this(job, writer, stage, true);
        }

        Step(TrainingJob job, StepWriter writer, int stage, boolean overlap) {
            super(job, writer, stage, overlap);
        }

        @Override
        protected void holdStates() {
            long stateBytes = job.precision().stateBytes() * parameters();
            writer.allocate(MemoryOwner.PARAMETERS, stateBytes + castBytes() + frozenBytes());
            writer.allocate(MemoryOwner.GRADIENTS, stateBytes);
            writer.allocate(MemoryOwner.OPTIMIZER_STATES, momentBytes());
            writer.allocate(MemoryOwner.BUCKETS, bucketBytes());
        }

        /** Returns the bytes of optimizer states on the GPU. */
        long momentBytes() {
            return job.momentBytes(parameters());
        }

        /** Returns the bytes of communication buffers. */
        long bucketBytes() {
            return job.precision().stateBytes() * parameters();
        }

        @Override
        protected boolean reducesIn(boolean lastMicroBatch) {
            return lastMicroBatch || settings.flag("sync_every_micro_batch");
        }

        @Override
        protected boolean goesBefore(long bucketElements, long nextElements) {
            return false;
        }

        @Override
        protected boolean goesAfter(long bucketElements) {
            long limit = settings.whole(firstBucketGone ? "bucket_size" : "first_bucket_size");
            boolean full = (long) gradientBytes() * bucketElements >= limit;
            firstBucketGone |= full;
            return full;
        }

        @Override
        protected int beforeForward(RankGroups among, long elements) {
            return job.precision().isMixed() && elements > 0
                    ? writer.copy(Stream.COMPUTE, (4 + job.precision().bytes()) * elements, "cast parameters")
                    : StepWriter.NONE;
        }

        @Override
        protected int afterBackward(long elements, int computed) {
            return job.precision().isMixed() && elements > 0
                    ? writer.copy(
                            Stream.COMPUTE, (8 + job.precision().bytes()) * elements, "accumulate gradients", computed)
                    : computed;
        }

        @Override
        protected int reduce(Bucket bucket, int computed) {
            long elements = bucket.elements();
            long bytes = gradientBytes() * elements;
            int filled = writer.copy(Stream.COMPUTE, 2 * bytes, "fill bucket", computed);
            return writer.allReduce(world, bytes, settings.name("reduce_algorithm"), "all-reduce bucket", filled);
        }

        @Override
        protected int prepareUpdate(int gradientsReady) {
            int copied = writer.copy(
                    Stream.COMPUTE, 2L * gradientBytes() * parameters(), "copy buckets back", gradientsReady);
            return job.gradientClipping() > 0
                    ? writer.compute(Work.Kind.GRADIENT_NORM, parameters(), "gradient norm")
                    : copied;
        }

        @Override
        protected void update(int prepared) {
            writer.free(MemoryOwner.PARAMETERS, castBytes());
            writer.updateShard(parameters(), writer.orthogonalize(shardGroups(job), parameters(), prepared));
        }

        /** Returns an upper bound on the casts that autocast keeps between a forward and its backward. */
        final long castBytes() {
            return job.precision().isMixed() ? bytes(parameters()) : 0;
        }

        @Override
        protected int gradientBytes() {
            return job.precision().stateBytes();
        }
    }
}
