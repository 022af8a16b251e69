package io.shardsim.simulator.strategy;

import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import io.shardsim.simulator.workload.Checkpointing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * PyTorch's Fully Sharded Data Parallel: the parameters of each transformer layer, and the remaining ones (the root), form units that are gathered
 * and reduced together, sharded over a group of ranks [1].
 *
 * <ul>
 *   <li>Forward: a layer is gathered before it is computed and freed after it; the root stays gathered [1, section 3.2.1].
 *   <li>The rate limiter lets the host issue a gather only when the layer before the last one is freed, so at most two gathered layers are in flight
 *       [1, section 3.4]. FSDP2 has no limiter; its gathers wait for copies. Forward gathers a layer once the layer before the last one is copied
 *       out, overlapped with the forward of that one, and backward once the current layer is copied out (wait_for_unshard and pre_backward of
 *       _fsdp_param_group.py).
 *   <li>Backward: the gather of the next layer is issued before the current layer's reduce-scatter, because both run in order on their process
 *       group's single internal stream [1, section 3.3.2].
 *   <li>A checkpoint inside a unit recomputes it while it is gathered for its backward. A checkpoint around it ({@code reentrant_checkpoints}) ran
 *       its forward without gradients, so no hook prefetches the unit in backward: it is gathered for recomputation, freed, and gathered again [3].
 *   <li>The gradients of a layer are copied into its flat gradient, cast if they are reduced in FP32, divided by a factor of the rank count on the
 *       internal stream (_post_backward_hook, _div_if_needed), reduce-scattered, and added to the FP32 shard, every micro-batch.
 *   <li>That first copy is the backward of the views, which were created on the all-gather stream (_unshard, _use_unsharded_flat_param); autograd
 *       runs it on that stream too, so it and its reduction come after the gather of the next layer [4].
 *   <li>Under no_sync all but the last micro-batch keep unsharded gradients on every rank, in the reduction precision
 *       (FSDPParam.to_accumulated_grad_if_needed), and the last one adds its own before the reduction [2].
 *   <li>A unit is one flat parameter with views into it. In FSDP2, its parameters are sharded one by one: copied out of the all-gather buffer
 *       (foreach_all_gather_copy_out), and cast and copied into the reduce-scatter buffer once the previous unit is reduced
 *       (foreach_reduce_scatter_copy_in, post_backward); the collective itself averages [2, _fsdp_collectives.py].
 *   <li>With shard groups smaller than the world (hybrid), shards are all-reduced across groups after each reduce-scatter [1, section 3.2.2].
 * </ul>
 *
 * <p>Model states: an FP32 shard of parameters and two Adam moments, 12 bytes per parameter, and 4 of gradients from their reduction until the
 * update, after which they are set to None (zero_grad); the 16-bit copy of a shard exists only while its layer is gathered. Without master weights,
 * all of these are BF16 and nothing is cast.
 *
 * <p>Leaves out CPU offload, forward prefetch, FSDP2's division of FP16 gradients, reentrant checkpoints around its units, which differ by version,
 * and the cost of allocator retries; with the limiter off, the ledger's figure for gathered units is a lower bound.
 *
 * <p>[1] Zhao et al., PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel, arXiv:2304.11277; checked against
 * torch/distributed/fsdp/_runtime_utils.py of PyTorch 2.0. [2] torch/distributed/fsdp/_fully_shard/_fsdp_param.py of PyTorch 2.6. [3]
 * github.com/pytorch/pytorch issue 105635 (2023-07-20); _register_pre_backward_hooks of _runtime_utils.py. [4] PyTorch, CUDA semantics, stream
 * semantics of backward passes; seen in a profile of 34B on 256 A100, where copy, cast and division follow the end of each gather
 * (github.com/yandex/YaFSDP, assets/fsdp.png at 669fc36).
 */
public final class Fsdp extends ShardingStrategy {
    private static final List<String> IDLE_IN_PIPELINES =
            List.of("reshard_after_forward", "backward_prefetch", "limit_all_gathers", "no_sync", "host_time_per_unit");

    public Fsdp(StrategyParameters settings) {
        super(settings);
    }

    @Override
    public StepPlan plan(TrainingJob job) {
        return StepWriter.write(job, settings, StepWriter.ALLOCATED_IN_STEP, writer -> {
            if (job.parallel().stages() > 1) {
                ReplicatedStep.write(
                        job, writer, stage -> new FsdpStage(job, writer, stage, sharding(job, writer), settings));
            } else {
                step(job, writer).write();
            }
        });
    }

    private Sharding sharding(TrainingJob job, StepWriter writer) {
        RankGroups shard = shardGroups(job);
        return new Sharding(writer, settings, shard, ShardGroups.replication(shard, job));
    }

    private FsdpStep step(TrainingJob job, StepWriter writer) {
        Sharding all = sharding(job, writer);
        return settings.flagOr("per_parameter", false)
                ? new PerParameterStep(job, writer, settings, all)
                : new FlatParameterStep(job, writer, settings, all);
    }

    @Override
    protected boolean updatesIn16Bits() {
        return true;
    }

    @Override
    protected boolean gathersMatrices() {
        return true;
    }

    @Override
    protected boolean trainsAdapters() {
        return true;
    }

    @Override
    protected boolean splitsBackward() {
        return settings.names().contains("pipeline_schedule");
    }

    @Override
    protected List<Refusal> ownProblems(TrainingJob job) {
        List<Refusal> problems = new ArrayList<>();
        ShardGroups.problem("shard_group", chosenShardGroup(), job)
                .ifPresentOrElse(problems::add, () -> addExpertProblems(problems, job));
        if (modelParallel().stages() > 1 && job.model().usesEmbeddingTwice()) {
            // Qwen3Model of pytorch/torchtitan raises an error: fully_shard does not communicate between stages.
            problems.add(Refusal.of(
                    "pipeline_parallel " + modelParallel().stages()
                            + (job.model().tiedEmbeddings() ? " needs untied embeddings" : " needs mtp_layers 0")
                            + ", as PyTorch does not reduce the tied gradient across stages; write 1, or another strategy",
                    "pipeline_parallel"));
        }
        return problems;
    }

    /** Checks expert parallelism: experts are distributed over ranks of one shard group, each with its own shard of the sequence. */
    private void addExpertProblems(List<Refusal> problems, TrainingJob job) {
        int experts = modelParallel().experts();
        if (experts == 1) {
            return;
        }
        RankGroups shard = shardGroups(job);
        int ranks = shard.size() * shard.stride();
        if (job.stageRanks() % experts == 0 && ranks % experts != 0) {
            problems.add(Refusal.of(
                    "expert_parallel " + experts + " does not divide the " + ranks + " ranks of a shard group; "
                            + NearestNumbers.divisors(ranks, experts),
                    "expert_parallel",
                    "shard_group"));
        }
        problems.addAll(sequenceProblems());
    }

    @Override
    protected Map<String, String> ownIdle(TrainingJob job) {
        Map<String, String> idle = new LinkedHashMap<>();
        if (job.parallel().stages() > 1) {
            IDLE_IN_PIPELINES.forEach(setting -> idle.put(
                    setting,
                    "in a pipeline, where units stay gathered and gradients are reduced after the last "
                            + "micro-batch"));
            return idle;
        }
        if (job.accumulationSteps() == 1) {
            idle.put("no_sync", "with one micro-batch per step");
        }
        if (!settings.flag("reshard_after_forward")) {
            idle.put("reentrant_checkpoints", "where units stay gathered after forward");
        } else if (job.checkpointing() != Checkpointing.FULL) {
            idle.put("reentrant_checkpoints", "without full checkpoints");
        }
        return idle;
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        int size = chosenShardGroup();
        int byDefault = settings.flagOr("hybrid", false)
                ? Math.min(job.dataParallelPerNode(), job.dataParallel())
                : job.dataParallel();
        return ShardGroups.shard(size == 0 ? byDefault : size, job);
    }

    /** Returns the group of hybrid sharding; 0 if unset, or if the kind shards over all ranks and has no such setting. */
    private int chosenShardGroup() {
        return settings.names().contains("shard_group") ? settings.count("shard_group") : 0;
    }
}
