package io.shardsim.scenarios.question;

import io.shardsim.reports.Surroundings;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.topology.Cluster;
import org.jspecify.annotations.Nullable;

/** What the cluster does. */
public sealed interface Task {

    /**
     * Training steps of a model.
     *
     * @param modelName catalog name, or {@code inline}
     * @param model as the catalog or the file describes it; the {@link #job} has it as the framework holds it
     * @param globalBatch samples per training step
     * @param microBatch samples per GPU per forward-backward; null for the largest that fits
     * @param checkpointedLayers layers that are checkpointed, spread evenly
     * @param activationOffload whether kept activations wait in host memory
     * @param kernels eager, fused or compiled; null for what the strategy's own framework ships
     * @param dropout whether dropout masks are kept
     * @param gradientClipping largest gradient norm; 0 for no clipping
     * @param surroundings input and checkpoints; null where the file says nothing of them
     */
    record Training(
            String modelName,
            ModelShape model,
            int sequenceLength,
            long globalBatch,
            @Nullable Integer microBatch,
            Precision precision,
            Checkpointing checkpointing,
            int checkpointedLayers,
            boolean activationOffload,
            AttentionKind attention,
            @Nullable String kernels,
            boolean dropout,
            double gradientClipping,
            StrategySpec strategy,
            @Nullable Surroundings surroundings)
            implements Task {
        /** One step of it on a cluster, in the micro-batches that are given, or of one sample each. */
        public TrainingJob job(Cluster cluster, ShardingStrategy planner) {
            long samples =
                    globalBatch / (cluster.worldSize() / planner.modelParallel().ranksOfSample());
            int inMicroBatch = microBatch == null ? 1 : microBatch;
            return new TrainingJob(
                    model,
                    cluster.worldSize(),
                    cluster.gpusPerNode(),
                    sequenceLength,
                    inMicroBatch,
                    Math.toIntExact(samples / inMicroBatch),
                    precision,
                    checkpointing,
                    checkpointedLayers,
                    activationOffload,
                    attention,
                    dropout,
                    kernels == null ? planner.defaultKernels() : kernels,
                    gradientClipping,
                    planner.modelParallel());
        }

        /** The same training under another strategy. */
        public Training withStrategy(StrategySpec other) {
            return new Training(
                    modelName,
                    model,
                    sequenceLength,
                    globalBatch,
                    microBatch,
                    precision,
                    checkpointing,
                    checkpointedLayers,
                    activationOffload,
                    attention,
                    kernels,
                    dropout,
                    gradientClipping,
                    other,
                    surroundings);
        }
    }

    /**
     * One collective over all ranks, as a network benchmark would run it.
     *
     * @param totalBytes whole buffer [bytes]
     */
    record Collective(CollectiveKind kind, long totalBytes) implements Task {}
}
