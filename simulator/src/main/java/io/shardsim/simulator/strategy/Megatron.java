package io.shardsim.simulator.strategy;

import io.shardsim.simulator.Refusal;
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
import io.shardsim.simulator.workload.Checkpointing;
import java.util.List;

/**
 * Data parallelism of Megatron-LM, combined with tensor and pipeline parallelism: every rank holds all states of its shard of the model; one flat
 * gradient buffer is all-reduced after the last backward [1, allreduce_gradients].
 *
 * <p>Model states: 16 bytes per parameter of the rank's shard with 16-bit gradients (2 parameter, 2 gradient, 12 optimizer) and 4 more for the FP32
 * gradient during the update [2]; 18 with FP32 gradients.
 *
 * <p>Leaves out the distributed optimizer and overlap of the all-reduce with backward, which were added later: see {@link MegatronCore}.
 *
 * <p>[1] megatron/model/distributed.py, megatron/training.py, v2.5. [2] megatron/optimizer/optimizer.py, Float16OptimizerWithFloat16Params.
 */
public class Megatron extends ShardingStrategy {
    public Megatron(StrategyParameters settings) {
        super(settings);
    }

    @Override
    public final StepPlan plan(TrainingJob job) {
        return StepWriter.write(
                job,
                settings,
                StepWriter.ALLOCATED_IN_STEP,
                writer -> ReplicatedStep.write(job, writer, stage -> step(job, writer, stage)));
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        return ShardGroups.shard(1, job);
    }

    @Override
    protected final MemoryFit fit(MemoryFit byLedger, TrainingJob job, StepPlan plan, GpuMemory memory) {
        return AllocatorReplay.refine(
                byLedger,
                job,
                plan,
                memory,
                settings.flag("gradient_accumulation_fusion") ? Gradients.FUSED : Gradients.BUFFER);
    }

    @Override
    protected List<Refusal> ownProblems(TrainingJob job) {
        // megatron/training/arguments.py, commit d98e8a64, recompute_granularity.
        return job.checkpointing() == Checkpointing.OPERATOR
                ? List.of(Refusal.of(
                        "activation_checkpointing operator is torchtitan's; Megatron has full, selective and "
                                + "none; write one of these, or use a PyTorch strategy",
                        "activation_checkpointing"))
                : List.of();
    }

    /** Creates the step of a stage. */
    ReplicatedStep step(TrainingJob job, StepWriter writer, int stage) {
        return new Step(job, writer, stage, false);
    }

    class Step extends ReplicatedStep {
        private final boolean inFp32 = settings.flag("gradients_in_fp32");

        Step(TrainingJob job, StepWriter writer, int stage, boolean overlap) {
            super(job, writer, stage, overlap);
        }

        /** Returns the parameters whose optimizer states this rank keeps. */
        long updated() {
            return parameters();
        }

        /** Returns the bytes of FP8 weights, in both layouts, in addition to the updated ones. */
        long roundedWeightBytes() {
            return job.profile().keepsEightBits() ? (long) (2 * job.profile().operandBytes() * layerParameters()) : 0;
        }

        /** Reduces all gradients that backward has not sent; returns the last operation. */
        int reduceRest(int gradientsReady) {
            long bytes = gradientBytes() * parameters();
            int scaled = scale(parameters(), gradientsReady);
            return writer.allReduce(world, bytes, settings.name("reduce_algorithm"), "all-reduce gradients", scaled);
        }

        /** Divides gradients by the number of data-parallel ranks. */
        final int scale(long elements, int computed) {
            return writer.copy(Stream.COMPUTE, 2L * gradientBytes() * elements, "scale gradients", computed);
        }

        @Override
        protected int gradientBytes() {
            return inFp32 ? 4 : job.precision().bytes();
        }

        @Override
        protected void holdStates() {
            writer.allocate(MemoryOwner.PARAMETERS, bytes(parameters()) + roundedWeightBytes());
            writer.allocate(MemoryOwner.GRADIENTS, gradientBytes() * parameters());
            writer.allocate(MemoryOwner.OPTIMIZER_STATES, job.optimizerBytes(updated()));
        }

        /**
         * Accumulates gradients: FP32 gradients are added to the buffer, BF16 or FP16 gradients by autograd. Either reads the GEMM's result, and
         * reads and writes the sum. A GEMM with fused accumulation reads and writes the sum instead of writing a gradient.
         */
        @Override
        protected int afterBackward(long elements, int computed) {
            long own = job.precision().bytes();
            long sum = inFp32 ? 4 : own;
            long moved = settings.flag("gradient_accumulation_fusion") ? 2 * sum - own : 2 * sum + own;
            return writer.copy(Stream.COMPUTE, moved * elements, "accumulate gradients", computed);
        }

        @Override
        protected int prepareUpdate(int gradientsReady) {
            int reduced = world.size() > 1 ? reduceRest(gradientsReady) : gradientsReady;
            writer.allocate(MemoryOwner.OPTIMIZER_STATES, widenedBytes());
            int main = widenedBytes() > 0
                    ? writer.copy(Stream.COMPUTE, 6 * updated(), "copy gradients to 32 bits", reduced)
                    : reduced;
            return job.gradientClipping() > 0
                    ? writer.compute(Work.Kind.GRADIENT_NORM, updated(), "gradient norm", main)
                    : main;
        }

        @Override
        protected void update(int prepared) {
            writer.compute(Work.Kind.OPTIMIZER_STEP, updated(), "optimizer step", prepared);
            writer.free(MemoryOwner.OPTIMIZER_STATES, widenedBytes());
        }

        /** Returns the bytes of FP32 gradients for a mixed-precision update, if they are not kept anyway. */
        private long widenedBytes() {
            return !inFp32 && job.precision().isMixed() ? 4 * updated() : 0;
        }
    }
}
