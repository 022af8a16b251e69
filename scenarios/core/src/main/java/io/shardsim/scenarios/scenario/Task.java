package io.shardsim.scenarios.scenario;

import io.shardsim.reports.Names;
import io.shardsim.reports.Surroundings;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
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

/** What the cluster does. */
public sealed interface Task {

    /**
     * Training steps of a model.
     *
     * @param modelName catalog name, or {@code inline}
     * @param model as the catalog or the file describes it; the {@link #job} has it as the framework holds it
     * @param surroundings input and checkpoints; null where the file says nothing of them
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

        /** One step of it on a cluster, in the micro-batches that are given, or of one sample each. */
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
                            kernels),
                    execution.kept(),
                    learning.gradientClipping(),
                    planner.modelParallel());
        }

        /** Values in force of the keys of {@code training}, by dotted key. */
        public Map<String, Object> settings(TrainingJob job) {
            Map<String, Object> settings = new LinkedHashMap<>();
            settings.put("training.sequence_length", sequenceLength());
            settings.put("training.global_batch", globalBatch());
            settings.put("training.micro_batch", job.microBatch());
            settings.put("training.precision", job.precision().id());
            settings.put("training.activation_checkpointing", Names.id(job.checkpointing()));
            settings.put("training.checkpointed_layers", job.kept().checkpointedLayers());
            settings.put("training.activation_offload", job.kept().offload());
            settings.put("training.attention", Names.id(job.execution().attention()));
            settings.put("training.kernels", job.kernels());
            settings.put("training.dropout", learning.dropout());
            settings.put("training.gradient_clipping", learning.gradientClipping());
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
                if (load.capacity() > 0) {
                    settings.put("training.expert_capacity", load.capacity());
                    settings.put("training.capacity_policy", load.pads() ? "pad" : "drop");
                }
            }
            return settings;
        }

        /** What keeps it from running on a cluster: relation, values, the way out; empty when nothing does. */
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

        /** What its strategy, its kernels and the algorithms that it names have against it; empty where nothing does. */
        List<Refusal> refusals(ShardingStrategy planner, TrainingJob job, Cluster cluster) {
            List<Refusal> found = new ArrayList<>(planner.problems(job));
            found.addAll(Capabilities.problems(job, cluster));
            return found.isEmpty() ? NamedAlgorithms.problems(strategy.given(), planner, job, cluster) : found;
        }
    }

    /**
     * Settings of a {@link Training} that decide what is learned.
     *
     * @param globalBatch samples per training step
     * @param dropout whether dropout masks are kept
     * @param gradientClipping largest gradient norm; 0 for no clipping
     * @param optimizer what updates the weights
     */
    record Learning(
            int sequenceLength,
            long globalBatch,
            Precision precision,
            boolean dropout,
            double gradientClipping,
            Optimizer optimizer) {}

    /**
     * Settings of a {@link Training} that make it slower or faster, and larger or smaller; what is learned is the same.
     *
     * @param microBatch samples per GPU per forward-backward; null for the largest that fits
     * @param kernels a framework profile; null for what the strategy's own framework ships
     */
    record Execution(
            @Nullable Integer microBatch,
            ActivationPolicy kept,
            AttentionKind attention,
            @Nullable String kernels) {}

    /**
     * One collective over all ranks, as a network benchmark would run it.
     *
     * @param totalBytes whole buffer [bytes]
     */
    record Collective(CollectiveKind kind, long totalBytes) implements Task {}
}
