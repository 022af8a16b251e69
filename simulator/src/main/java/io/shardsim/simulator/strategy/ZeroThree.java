package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;

/**
 * ZeRO stage 3 of DeepSpeed 0.7.2: every parameter tensor, its gradient and its optimizer states are sharded over all ranks [1, section 5.3]; tensors
 * are gathered before each module of forward and backward, gradients reduce-scattered in buckets after every micro-batch [2].
 *
 * <ul>
 *   <li>A tensor fetched alone is gathered in place; several at once go through one flat buffer and are copied out of it.
 *   <li>Gathers and reduce-scatters use the process group of all ranks, whose communicator runs them in issue order.
 *   <li>Model states: 16 bytes per parameter over all ranks in mixed precision (2 parameter, 2 gradient, 12 optimizer), and 4 more for the FP32
 *       gradient during the update.
 * </ul>
 *
 * <p>Volume: 3 model sizes per micro-batch, less for tensors kept between two uses, more for the embedding, which backward fetches again.
 *
 * <p>Leaves out what {@link Stage3Step} leaves out.
 *
 * <p>[1] Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, arXiv:1910.02054. [2]
 * github.com/deepspeedai/DeepSpeed v0.7.2, deepspeed/runtime/zero.
 */
public final class ZeroThree extends ShardingStrategy {
    public ZeroThree(StrategyParameters settings) {
        super(settings);
    }

    @Override
    public StepPlan plan(TrainingJob job) {
        return StepWriter.write(job, settings, StepWriter.ALLOCATED_IN_STEP, writer -> new Step(job, writer).write());
    }

    @Override
    protected boolean trainsAdapters() {
        return true;
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        return ShardGroups.shard(job.dataParallel(), job);
    }

    /** DeepSpeed's own gathers and reductions. */
    private final class Step extends Stage3Step {
        Step(TrainingJob job, StepWriter writer) {
            super(job, writer, settings, shardGroups(job));
        }

        @Override
        protected int gather(int[] tensors, String label, int... waits) {
            long total = gatheredBytes(tensors);
            lastGather = writer.gather(shard, total, settings.name("gather_algorithm"), label, waits);
            return tensors.length == 1
                    ? lastGather
                    : writer.copy(Stream.GATHER, 2 * total, "copy out of flat buffer", lastGather);
        }

        @Override
        protected int reduce(long elements, boolean lastMicroBatch, int... waits) {
            return writer.reduceScatter(
                    shard, bytes(elements), settings.name("reduce_algorithm"), "reduce-scatter bucket", waits);
        }

        @Override
        protected boolean sharesCommunicator() {
            return true;
        }
    }
}
