package example;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;

/**
 * Data parallelism without overlap: every rank holds all states, and one all-reduce after the last backward sums all gradients.
 *
 * <p>Leaves out casts of mixed precision, buckets and pipelines.
 */
public final class AllReduceOnce extends ShardingStrategy {
    public AllReduceOnce(StrategyParameters settings) {
        super(settings);
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        return ShardGroups.shard(1, job);
    }

    @Override
    public StepPlan plan(TrainingJob job) {
        return StepWriter.write(
                job, settings, StepWriter.ALLOCATED_IN_STEP, writer -> writeStep(job, writer, parameters(job)));
    }

    private static long parameters(TrainingJob job) {
        return job.model().layers() * job.layerParameters(0) + job.embeddingParameters() + job.outputParameters();
    }

    private void writeStep(TrainingJob job, StepWriter writer, long parameters) {
        long stateBytes = job.precision().stateBytes() * parameters;
        writer.allocate(MemoryOwner.PARAMETERS, stateBytes);
        writer.allocate(MemoryOwner.GRADIENTS, stateBytes);
        writer.allocate(MemoryOwner.OPTIMIZER_STATES, 2 * stateBytes);
        int last = StepWriter.NONE;
        for (int i = 0; i < job.accumulationSteps(); i++) {
            writer.beginMicroBatch();
            forward(job, writer);
            last = backward(job, writer);
        }
        writer.endMicroBatches();
        RankGroups world = ShardGroups.shard(job.dataParallel(), job);
        int reduced =
                writer.allReduce(world, stateBytes, settings.name("reduce_algorithm"), "all-reduce gradients", last);
        int norm = job.gradientClipping() > 0
                ? writer.compute(Work.Kind.GRADIENT_NORM, parameters, "gradient norm", reduced)
                : reduced;
        writer.updateShard(parameters, norm);
    }

    private static void forward(TrainingJob job, StepWriter writer) {
        writer.forwardEmbedding();
        for (int layer = 0; layer < job.model().layers(); layer++) {
            writer.beginLayer();
            writer.forwardLayer(layer);
        }
        writer.forwardHead();
    }

    /** Returns the last operation of the backward. */
    private static int backward(TrainingJob job, StepWriter writer) {
        writer.backwardHead();
        for (int layer = job.model().layers() - 1; layer >= 0; layer--) {
            writer.beginLayer();
            writer.backwardLayer(layer);
        }
        return writer.backwardEmbedding();
    }
}
