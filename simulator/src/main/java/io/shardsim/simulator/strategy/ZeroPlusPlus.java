package io.shardsim.simulator.strategy;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import java.util.List;

/**
 * ZeRO++: ZeRO-3 with a quarter of the traffic between nodes [1]. It has three differences, each with its own switch.
 *
 * <ul>
 *   <li>qwZ: gathers over all ranks carry 8-bit weights, quantized in blocks [1, section 3.1].
 *   <li>hpZ: each node keeps a second copy of the weights, sharded over its GPUs, from which backward gathers [1, section 3.2]. Before DeepSpeed
 *       0.13.2, a recomputation gathered from all ranks, since it runs the forward hooks [2].
 *   <li>qgZ: gradients are reduced by an all-to-all within nodes and one between them, both 4-bit, with a full-precision sum in between [1, section
 *       3.3].
 * </ul>
 *
 * <p>Volume between nodes of a model of M bytes: 0.5 M + 0 + 0.25 M instead of 3 M [1, table 1]; scales add 4 bytes per block.
 *
 * <p>Leaves out what {@link Stage3Step} leaves out, and the reordering of chunks, which overlaps with the first all-to-all.
 *
 * <p>[1] Wang et al., ZeRO++: Extremely Efficient Collective Communication for Giant Model Training, arXiv:2306.10209. [2]
 * github.com/deepspeedai/DeepSpeed, pull requests 3784 (2023-06) and 4906 (2024-01).
 */
public final class ZeroPlusPlus extends ShardingStrategy {
    public ZeroPlusPlus(StrategyParameters settings) {
        super(settings);
    }

    @Override
    public StepPlan plan(TrainingJob job) {
        return StepWriter.write(job, settings, StepWriter.ALLOCATED_IN_STEP, writer -> new Step(job, writer).write());
    }

    @Override
    protected List<Refusal> ownProblems(TrainingJob job) {
        return job.worldSize() % job.gpusPerNode() == 0
                ? List.of()
                : List.of(Refusal.of("world size " + job.worldSize() + " is not a multiple of " + job.gpusPerNode()
                        + " GPUs per node; use whole nodes"));
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        return ShardGroups.shard(job.dataParallel(), job);
    }

    /** Differences of ZeRO++ from ZeRO-3. */
    private final class Step extends Stage3Step {
        private final RankGroups node;
        private final RankGroups acrossNodes;

        Step(TrainingJob job, StepWriter writer) {
            super(job, writer, settings, shardGroups(job));
            node = new RankGroups("node", job.worldSize(), job.gpusPerNode(), 1);
            acrossNodes = new RankGroups(
                    "across nodes", job.worldSize(), job.worldSize() / job.gpusPerNode(), job.gpusPerNode());
        }

        @Override
        protected long secondaryParameterBytes() {
            return settings.flag("secondary_shard_group") ? bytes(job.model().parameters() / node.size()) : 0;
        }

        @Override
        protected int gather(int[] tensors, String label, int... waits) {
            long elements = paddedElements(tensors);
            String algorithm = settings.name("gather_algorithm");
            if (settings.flag("secondary_shard_group") && gathersWithinNode()) {
                lastGather = writer.gather(node, bytes(elements), algorithm, label, waits);
                return lastGather;
            }
            if (!settings.flag("quantized_weights")) {
                lastGather = writer.gather(shard, bytes(elements), algorithm, label, waits);
                return lastGather;
            }
            long quantized = quantizedBytes(elements, 8);
            int ready =
                    writer.copy(Stream.GATHER, (bytes(elements) + quantized) / shard.size(), "quantize weights", waits);
            lastGather = writer.gather(shard, quantized, algorithm, label, ready);
            return writer.copy(Stream.GATHER, quantized + bytes(elements), "dequantize weights", lastGather);
        }

        private boolean gathersWithinNode() {
            return settings.flag("secondary_in_recomputation") ? inBackward() : inBackwardHook();
        }

        @Override
        protected int reduce(long elements, boolean lastMicroBatch, int... waits) {
            String algorithm = settings.name("reduce_algorithm");
            if (!settings.flag("quantized_gradients")) {
                return writer.reduceScatter(shard, bytes(elements), algorithm, "reduce-scatter bucket", waits);
            }
            long within = quantizedBytes(elements, 4);
            long between = quantizedBytes(elements / node.size(), 4);
            int quantized = writer.copy(Stream.REDUCE, bytes(elements) + within, "quantize gradients", waits);
            int exchanged = writer.allToAll(node, within, algorithm, "all-to-all within nodes", quantized);
            int summed = writer.copy(Stream.REDUCE, within + between, "sum and quantize gradients", exchanged);
            int received = writer.allToAll(acrossNodes, between, algorithm, "all-to-all across nodes", summed);
            return writer.copy(Stream.REDUCE, between + bytes(elements / shard.size()), "sum gradients", received);
        }

        /** Returns the bytes of quantized values, with a 32-bit scale per block. */
        private long quantizedBytes(long elements, int bits) {
            long block = settings.whole("quantization_block");
            return elements * bits / 8 + 4 * ((elements + block - 1) / block);
        }

        @Override
        protected boolean sharesCommunicator() {
            return !settings.flag("quantized_gradients");
        }
    }
}
