package io.shardsim.simulator.strategy;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.compute.Optimizer;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.PipelinePartition;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StateHolders;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ActivationOffload;
import io.shardsim.simulator.strategy.writing.HostOffload;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * Sharding strategy: which rank holds which model states, what ranks communicate, and what waits for what, in one training step.
 *
 * <p>A strategy is one public class with a public constructor that takes {@link StrategyParameters}, and at least one file
 * {@code strategies/<kind>.yaml} that names the class and declares its parameters. It knows no links, time or devices.
 */
public abstract class ShardingStrategy {
    /** Settings declared by the descriptor and set by the scenario. */
    protected final StrategyParameters settings;

    protected ShardingStrategy(StrategyParameters settings) {
        this.settings = settings;
    }

    /** Returns the plan of one training step; equal for equal jobs. */
    public abstract StepPlan plan(TrainingJob job);

    /** Returns the groups of ranks that together hold one copy of the sharded states. */
    public abstract RankGroups shardGroups(TrainingJob job);

    /** Returns the ranks that hold one copy of all model states: per pipeline stage, the first shard group of every tensor-parallel rank. */
    public final StateHolders holders(TrainingJob job) {
        RankGroups shards = shardGroups(job);
        BitSet ranks = new BitSet(job.worldSize());
        for (int stage = 0; stage < job.parallel().stages(); stage++) {
            int first = stage * job.stageRanks();
            for (int rank = first; rank < first + job.parallel().tensor(); rank++) {
                for (int holder : shards.membersOf(rank)) {
                    ranks.set(holder);
                }
            }
        }
        return StateHolders.of(ranks, job.gpusPerNode());
    }

    /** Returns why this strategy cannot run the job: relation, both values, remedy; empty if it can. */
    public final List<Refusal> problems(TrainingJob job) {
        List<Refusal> problems = new ArrayList<>(settings.problems(job));
        if (job.precision() == Precision.BF16_PURE && !updatesIn16Bits()) {
            problems.add(Refusal.of(
                    "precision bf16_pure has no FP32 weights, which this strategy updates; write precision: "
                            + "bf16, or use "
                            + String.join(", ", StrategyCatalog.load().kindsThat(ShardingStrategy::updatesIn16Bits)),
                    "precision"));
        }
        Optimizer optimizer = job.execution().optimizer();
        if (HostOffload.of(settings).optimizer() && !optimizer.equals(Optimizer.OWN)) {
            problems.add(Refusal.of(
                    "optimizer " + optimizer.name()
                            + " with offload_optimizer: the host update is simulated only for " + Optimizer.OWN.name()
                            + "; write offload_optimizer: false, or remove optimizer",
                    "offload_optimizer"));
        }
        if (optimizer.orthogonalizes()
                && (!gathersMatrices()
                        || job.parallel().ranksOfSample() > 1
                        || job.parallel().experts() > 1)) {
            problems.add(Refusal.of(
                    "optimizer " + optimizer.name() + " works on whole matrices and is modelled with "
                            + String.join(", ", StrategyCatalog.load().kindsThat(ShardingStrategy::gathersMatrices))
                            + ", without tensor, context, pipeline and expert parallelism; use one of them, or optimizer: "
                            + Optimizer.OWN.name(),
                    "optimizer"));
        }
        if (!job.model().adapters().isNone()) {
            problems.addAll(adapterProblems(job));
        }
        if (job.parallel().splitsBackward()) {
            addSplitBackwardProblems(problems, job);
        }
        problems.addAll(ownProblems(job));
        problems.addAll(job.parallel().problems(job));
        return problems;
    }

    /** Returns why distributed experts cannot each take a shard of the sequence. */
    final List<Refusal> sequenceProblems() {
        ModelParallel parallel = modelParallel();
        return parallel.experts() == 1 || parallel.tensor() == 1 || parallel.sequence()
                ? List.of()
                : List.of(needsSequence(parallel.tensor()));
    }

    /** Checks what a backward in two passes needs: torch.compile has none, and with it no asynchronous tensor parallelism. */
    private void addSplitBackwardProblems(List<Refusal> problems, TrainingJob job) {
        String key = "pipeline_schedule";
        String schedule = job.parallel().pipeline().schedule();
        if (!splitsBackward()) {
            problems.add(Refusal.of(
                    key + " " + schedule + " is modelled with "
                            + String.join(", ", StrategyCatalog.load().kindsThat(ShardingStrategy::splitsBackward))
                            + " (torchtitan); write 1f1b, or that kind",
                    key));
        }
        if (job.kept().offload()) {
            problems.add(Refusal.needs(key, schedule, "activation_offload", "false", "true"));
        }
        if (job.parallel().is(ModelParallel.Choice.OVERLAPS_EXCHANGES)) {
            problems.add(Refusal.needs(key, schedule, "overlap_tensor_exchange", "false", "true"));
        }
        if (job.profile().isCompiled()) {
            problems.add(Refusal.needs(key, schedule, "framework_profile", "without torch.compile", job.kernels()));
        }
    }

    /** Returns why adapters cannot be trained this way. */
    private List<Refusal> adapterProblems(TrainingJob job) {
        List<Refusal> problems = new ArrayList<>();
        if (!trainsAdapters()) {
            problems.add(Refusal.of(
                    "lora is not modelled with this strategy; use "
                            + String.join(", ", StrategyCatalog.load().kindsThat(ShardingStrategy::trainsAdapters))
                            + ", or remove lora",
                    "lora"));
        }
        if (job.precision().bytes() != 2 || job.precision() == Precision.FP8) {
            problems.add(Refusal.of(
                    "lora with precision " + job.precision().id()
                            + " is not modelled; write precision: bf16, bf16_pure or fp16",
                    "precision",
                    "lora"));
        }
        if (HostOffload.of(settings).optimizer() || HostOffload.of(settings).parameters()) {
            problems.add(Refusal.of(
                    "lora with offload_optimizer or offload_parameters is not modelled; write false", "lora"));
        }
        if (job.parallel().ranksOfSample() > 1 || job.parallel().experts() > 1) {
            problems.add(Refusal.of(
                    "lora is not modelled with tensor, context, pipeline or expert parallelism; write 1 for each",
                    "lora"));
        }
        return problems;
    }

    /**
     * Returns how a step fits, given the ledger's result: the same, or worse if the strategy knows the allocator's block sizes.
     *
     * @param plan plan of the job, with all or some of its micro-batches
     */
    protected MemoryFit fit(MemoryFit byLedger, TrainingJob job, StepPlan plan, GpuMemory memory) {
        return byLedger;
    }

    /** Returns the bytes that offload keeps in a node's host memory: states, and the activations of a micro-batch [bytes]. */
    public final long hostBytes(TrainingJob job) {
        int gpus = Math.min(job.gpusPerNode(), job.worldSize());
        long activations = 0;
        for (int layer = 0; job.kept().offload() && layer < job.model().layers(); layer++) {
            activations += gpus
                    * job.activations().layerBytes(layer, job.microBatch(), job.rankSequence(), job.checkpointing());
        }
        return activations + HostOffload.of(settings).bytes(job, gpus);
    }

    /** Returns the bytes that each layer offloads to the host during compute, and loads back, per micro-batch [bytes]. */
    public final IntToLongFunction offloadedBytes(TrainingJob job) {
        return ActivationOffload.overlappedBytes(job, settings);
    }

    /** Returns whether it can update 16-bit weights directly. */
    protected boolean updatesIn16Bits() {
        return false;
    }

    /** Returns whether its update can bring together the matrices that it shards, or shards none. */
    protected boolean gathersMatrices() {
        return false;
    }

    /** Returns whether it can hold, reduce and update only adapters, with frozen base parameters. */
    protected boolean trainsAdapters() {
        return false;
    }

    /** Returns whether its pipeline stages can compute gradients of weights later than those of inputs. */
    protected boolean splitsBackward() {
        return false;
    }

    /** Returns violations of this strategy's own rules. */
    protected List<Refusal> ownProblems(TrainingJob job) {
        return List.of();
    }

    /** Returns why experts cannot be trained with tensor parallelism that leaves the sequence whole. */
    static Refusal needsSequence(int tensor) {
        String needed = "true with experts";
        return Refusal.needs("tensor_parallel", String.valueOf(tensor), "sequence_parallel", needed, "false");
    }

    /** Returns the settings in force. */
    public final StrategyParameters settings() {
        return settings;
    }

    /** Returns the model and context parallelism. */
    public final ModelParallel modelParallel() {
        return settings.modelParallel();
    }

    /** Returns remarks on the planning of a job, one sentence each: settings without effect, and where a pipeline was cut and why. */
    public final List<String> remarks(TrainingJob job) {
        List<String> remarks = new ArrayList<>();
        idle(job).forEach((setting, when) -> {
            if (settings.isChanged(setting)) {
                remarks.add(setting + " has no effect " + when);
            }
        });
        remarks.addAll(PipelinePartition.of(job).explanation());
        return remarks;
    }

    /** Returns the settings without effect on the job, each with the reason. */
    public final Map<String, String> idle(TrainingJob job) {
        Map<String, String> idle = new LinkedHashMap<>(ownIdle(job));
        idle.putAll(job.parallel().idle(job));
        return idle;
    }

    /** Returns this strategy's own settings without effect. */
    protected Map<String, String> ownIdle(TrainingJob job) {
        return Map.of();
    }

    /** Returns the framework profile of the kernels that this strategy's own framework ships. */
    public final String defaultKernels() {
        return settings.name("framework_profile");
    }
}
