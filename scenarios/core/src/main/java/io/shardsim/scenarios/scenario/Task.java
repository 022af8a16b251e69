package io.shardsim.scenarios.scenario;

import io.shardsim.reports.Names;
import io.shardsim.reports.Surroundings;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.compute.CudaGraphs;
import io.shardsim.simulator.compute.Optimizer;
import io.shardsim.simulator.job.ActivationPolicy;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.job.LayerExecution;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.Ranks;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.ExpertLoad;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Recomputed;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The work of the cluster: training or a bare collective. */
public sealed interface Task {

    /**
     * Training steps of a model.
     *
     * @param modelName catalog name, or {@code inline}
     * @param model the shape given by the catalog or the file; the {@link #job} has the framework's version of it
     * @param surroundings input and checkpoints; null if the file does not mention them
     */
    record Training(
            String modelName,
            ModelShape model,
            Learning learning,
            Execution execution,
            StrategySpec strategy,
            @Nullable Surroundings surroundings)
            implements Task {
        public int sequenceLength() {
            return learning.sequenceLength();
        }

        public long globalBatch() {
            return learning.globalBatch();
        }

        public @Nullable Integer microBatch() {
            return execution.microBatch();
        }

        /** Returns one training step on a cluster, with the micro-batch that is set, or of one sample. */
        public TrainingJob job(Cluster cluster, ShardingStrategy planner) {
            long samples = globalBatch()
                    / (cluster.worldSize() / planner.modelParallel().ranksOfSample());
            int inMicroBatch = microBatch() == null ? 1 : microBatch();
            String kernels = execution.kernels() == null ? planner.defaultKernels() : execution.kernels();
            return new TrainingJob(
                    model,
                    new Ranks(cluster.worldSize(), cluster.gpusPerNode()),
                    new Batch(sequenceLength(), inMicroBatch, Math.toIntExact(samples / inMicroBatch)),
                    new LayerExecution(
                            learning.precision(),
                            execution.attention(),
                            learning.dropout(),
                            learning.optimizer(),
                            kernels,
                            learning.fp8Recipe(),
                            execution.graphs()),
                    execution.kept(),
                    learning.gradientClipping(),
                    planner.modelParallel());
        }

        /** Returns values in force of the {@code training} keys, by dotted key. */
        public Map<String, Object> settings(TrainingJob job) {
            Map<String, Object> settings = new LinkedHashMap<>();
            settings.put("training.sequence_length", sequenceLength());
            settings.put("training.global_batch", globalBatch());
            settings.put("training.micro_batch", job.microBatch());
            settings.put("training.precision", job.precision().id());
            settings.put("training.activation_checkpointing", Names.id(job.checkpointing()));
            settings.put("training.checkpointed_layers", job.kept().checkpointedLayers());
            settings.put("training.activation_offload", job.kept().offload());
            if (!model.image().isConvolved()) {
                settings.put("training.attention", Names.id(job.execution().attention()));
            }
            settings.put("training.kernels", job.kernels());
            settings.put("training.dropout", learning.dropout());
            settings.put("training.gradient_clipping", learning.gradientClipping());
            String recipe = job.profile().fp8Recipe();
            if (recipe != null) {
                settings.put("training.fp8_recipe", recipe);
            }
            if (execution.graphs() != CudaGraphs.NONE) {
                settings.put("training.cuda_graphs", Names.id(execution.graphs()));
            }
            if (!learning.optimizer().equals(Optimizer.OWN)) {
                settings.put("training.optimizer", learning.optimizer().name());
            }
            List<String> modules = job.kept().recomputed().modules();
            if (!modules.equals(Recomputed.CORE_ATTENTION.modules())) {
                settings.put("training.recompute", String.join(", ", modules));
            }
            if (model.mixture().isPresent()) {
                ExpertLoad load = model.mixture().load();
                settings.put("training.expert_load", load.words());
                if (Double.isInfinite(load.capacity())) {
                    settings.put("training.capacity_policy", "fullest");
                } else if (load.capacity() > 0) {
                    settings.put("training.expert_capacity", load.capacity());
                    settings.put("training.capacity_policy", load.pads() ? "pad" : "drop");
                }
            }
            return settings;
        }

        /** Returns why it cannot run on a cluster: the rule, the values and the fix; empty if it can. */
        public List<Refusal> problems(Cluster cluster) {
            ShardingStrategy planner = strategy.create();
            List<Refusal> splits = planner.modelParallel().problems(cluster.worldSize());
            if (!splits.isEmpty()) {
                return splits;
            }
            int replicas = cluster.worldSize() / planner.modelParallel().ranksOfSample();
            if (globalBatch() % replicas != 0) {
                return List.of(Refusal.of(
                        "global_batch " + globalBatch() + " is not a multiple of " + replicas + " replicas",
                        "global_batch"));
            }
            if (microBatch() != null && globalBatch() / replicas % microBatch() != 0) {
                return List.of(Refusal.of(
                        "micro_batch " + microBatch() + " does not divide the " + globalBatch() / replicas
                                + " samples of a replica",
                        "micro_batch"));
            }
            TrainingJob job = job(cluster, planner);
            return refusals(planner, job, cluster);
        }

        /** Returns objections of its strategy, kernels and named algorithms; empty if there are none. */
        List<Refusal> refusals(ShardingStrategy planner, TrainingJob job, Cluster cluster) {
            List<Refusal> found = new ArrayList<>(planner.problems(job));
            found.addAll(Capabilities.problems(job, cluster));
            return found.isEmpty() ? NamedAlgorithms.problems(strategy.given(), planner, job, cluster) : found;
        }
    }

    /**
     * Settings of a {@link Training} that affect what is learned.
     *
     * @param globalBatch samples per training step
     * @param dropout whether dropout masks are stored
     * @param gradientClipping maximum gradient norm; 0 for no clipping
     * @param optimizer the optimizer
     * @param fp8Recipe FP8 recipe of the kernels; null for their default
     */
    record Learning(
            int sequenceLength,
            long globalBatch,
            Precision precision,
            boolean dropout,
            double gradientClipping,
            Optimizer optimizer,
            @Nullable String fp8Recipe) {}

    /**
     * Settings of a {@link Training} that affect speed and memory, but not what is learned.
     *
     * @param microBatch samples per GPU and micro-batch; null for the largest that fits
     * @param kernels a framework profile; null for the kernels of the strategy's own framework
     * @param graphs kernels that CUDA graphs launch
     */
    record Execution(
            @Nullable Integer microBatch,
            ActivationPolicy kept,
            AttentionKind attention,
            @Nullable String kernels,
            CudaGraphs graphs) {}

    /**
     * One collective over all ranks, as a network benchmark would run it.
     *
     * @param totalBytes size of the whole buffer [bytes]
     */
    record Collective(CollectiveKind kind, long totalBytes) implements Task {}
}
