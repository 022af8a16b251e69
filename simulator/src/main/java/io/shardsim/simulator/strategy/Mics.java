package io.shardsim.simulator.strategy;

import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * MiCS, the sharded data parallelism of the SageMaker model parallel library [1, 2]: ZeRO-3 with model states sharded over a group smaller than the
 * world, and replicated across groups. Each feature has its own switch.
 *
 * <ul>
 *   <li>Hierarchical all-gather, used when the shard group spans nodes: first among ranks with the same local rank on all nodes, then within each
 *       node [1, section 3.3; 3, _hierarchical_all_gather_params]. Data from other nodes is rearranged between the two stages.
 *   <li>2-hop gradient synchronisation: reduce-scatter within the shard group every micro-batch; all-reduce of the shards in the replication group in
 *       the last micro-batch only [1, section 3.4; 3, allreduce_mics_shard_grads]. Without it, gradients are all-reduced over all ranks every
 *       micro-batch and each rank keeps its shard.
 *   <li>Coalesced gathers: the tensors of one fetch form one collective without extra copies [3]. Without it, each tensor has its own.
 *   <li>Prefetch of later modules' tensors, as in ZeRO-3.
 *   <li>Defragmented buffers: gathered tensors and gradient buckets use preallocated buffers, so that they cannot fragment memory [1, section 4].
 * </ul>
 *
 * <p>With a hierarchical gather, inter-node gathers, intra-node gathers and reductions have separate communicators, so gathers and reductions
 * overlap; otherwise they share the shard group's.
 *
 * <p>Leaves out what {@link Stage3Step} leaves out.
 *
 * <p>[1] Zhang et al., MiCS: Near-linear Scaling for Training Gigantic Model on Public Cloud, arXiv:2205.00119. [2] Amazon SageMaker developer guide,
 * Sharded Data Parallelism. [3] github.com/deepspeedai/DeepSpeed, deepspeed/runtime/zero/mics.py (by the authors of [1]).
 */
public final class Mics extends ShardingStrategy {
    public Mics(StrategyParameters settings) {
        super(settings);
    }

    @Override
    public StepPlan plan(TrainingJob job) {
        Set<MemoryOwner> fragmented = settings.flag("defragmented_buffers")
                ? EnumSet.of(MemoryOwner.ACTIVATIONS, MemoryOwner.WORKING_SET)
                : StepWriter.ALLOCATED_IN_STEP;
        return StepWriter.write(job, settings, fragmented, writer -> new Step(job, writer).write());
    }

    @Override
    protected List<Refusal> ownProblems(TrainingJob job) {
        List<Refusal> problems = new ArrayList<>();
        ShardGroups.problem("shard_group", settings.count("shard_group"), job).ifPresent(problems::add);
        int size = settings.count("shard_group");
        int perNode = job.dataParallelPerNode();
        if (size > perNode && size % perNode != 0) {
            problems.add(Refusal.of(
                    "shard_group " + size + " spans nodes but is not a multiple of " + perNode
                            + (perNode == job.gpusPerNode() ? " GPUs per node" : " data-parallel ranks per node")
                            + "; " + NearestNumbers.multiples(perNode, size),
                    "shard_group"));
        }
        return problems;
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        int size = settings.count("shard_group");
        int byRule = ShardGroupRule.ranks(job.model().parameters(), job.dataParallelPerNode(), job.dataParallel());
        return ShardGroups.shard(size == 0 ? byRule : size, job);
    }

    /** Differences of MiCS from DeepSpeed's gathers and reductions. */
    private final class Step extends Stage3Step {
        private final boolean hierarchical;
        private final boolean twoHop = settings.flag("two_hop_gradient_sync");
        private final boolean coalesced = settings.flag("coalesced_gathers");
        private final RankGroups world;

        Step(TrainingJob job, StepWriter writer) {
            super(job, writer, settings, shardGroups(job));
            hierarchical = settings.flag("hierarchical_all_gather")
                    && job.dataParallelPerNode() > 1
                    && shard.size() > job.dataParallelPerNode();
            world = new RankGroups(
                    "world", job.worldSize(), job.dataParallel(), job.parallel().tensor());
        }

        @Override
        protected int gather(int[] tensors, String label, int... waits) {
            if (coalesced) {
                return gatherTogether(paddedElements(tensors), label, waits);
            }
            int gathered = StepWriter.NONE;
            for (int tensor : tensors) {
                gathered = gatherTogether(paddedElements(tensor), label, waits);
            }
            return gathered;
        }

        private int gatherTogether(long elements, String label, int... waits) {
            String algorithm = settings.name(hierarchical ? "hierarchical_algorithm" : "gather_algorithm");
            lastGather = writer.gather(shard, bytes(elements), algorithm, label, waits);
            return hierarchical
                    ? writer.copy(
                            Stream.GATHER, 4 * bytes(elements / job.dataParallelPerNode()), "place shards", lastGather)
                    : lastGather;
        }

        @Override
        protected int reduce(long elements, boolean lastMicroBatch, int... waits) {
            String algorithm = settings.name("reduce_algorithm");
            if (!twoHop) {
                return writer.allReduce(world, bytes(elements), algorithm, "all-reduce bucket", waits);
            }
            int scattered = writer.reduceScatter(shard, bytes(elements), algorithm, "reduce-scatter bucket", waits);
            if (!lastMicroBatch || replication.size() == 1) {
                return scattered;
            }
            return writer.allReduce(
                    replication, bytes(elements / shard.size()), algorithm, "all-reduce among replicas", scattered);
        }

        @Override
        protected boolean sharesCommunicator() {
            return !hierarchical;
        }
    }
}
