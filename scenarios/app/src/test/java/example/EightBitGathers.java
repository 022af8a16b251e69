package example;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.Stage3Step;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;

/** ZeRO-3 with 8-bit parameter gathers: each rank quantizes its shard, and all dequantize what they receive. Leaves out scales. */
public final class EightBitGathers extends ShardingStrategy {
    public EightBitGathers(StrategyParameters settings) {
        super(settings);
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        return ShardGroups.shard(job.dataParallel(), job);
    }

    @Override
    public StepPlan plan(TrainingJob job) {
        return StepWriter.write(job, settings, StepWriter.ALLOCATED_IN_STEP, writer -> new Step(job, writer).write());
    }

    private final class Step extends Stage3Step {
        Step(TrainingJob job, StepWriter writer) {
            super(job, writer, settings, shardGroups(job));
        }

        @Override
        protected int gather(int[] tensors, String label, int... waits) {
            long whole = gatheredBytes(tensors);
            long rounded = paddedElements(tensors);
            int ready = writer.copy(Stream.GATHER, (whole + rounded) / shard.size(), "round weights", waits);
            lastGather = writer.gather(shard, rounded, settings.name("gather_algorithm"), label, ready);
            return writer.copy(Stream.GATHER, rounded + whole, "turn weights back", lastGather);
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
