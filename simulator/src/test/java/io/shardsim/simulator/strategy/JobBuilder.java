package io.shardsim.simulator.strategy;

import io.shardsim.simulator.compute.CudaGraphs;
import io.shardsim.simulator.compute.Optimizer;
import io.shardsim.simulator.job.ActivationPolicy;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.job.LayerExecution;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.Ranks;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Recomputed;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds jobs in 16 bits with standard attention; the defaults are plain data parallelism, full checkpointing and fused kernels. */
public final class JobBuilder {
    private final ModelShape model;
    private int worldSize = 16;
    private int sequenceLength = 512;
    private int microBatch = 1;
    private int accumulationSteps = 1;
    private Recomputed recomputed = Recomputed.CORE_ATTENTION;
    private Checkpointing checkpointing = Checkpointing.FULL;
    private int checkpointedLayers = -1;
    private boolean activationOffload;
    private AttentionKind attention = AttentionKind.STANDARD;
    private boolean dropout = true;
    private @Nullable String fp8Recipe;
    private String kernels = "fused";
    private Optimizer optimizer = Optimizer.OWN;
    private Precision precision = Precision.BF16;
    private ModelParallel parallel = ModelParallel.NONE;

    private JobBuilder(ModelShape model) {
        this.model = model;
    }

    public static JobBuilder job(ModelShape model) {
        return new JobBuilder(model);
    }

    /** Returns a builder of the same job. */
    public static JobBuilder like(TrainingJob job) {
        return job(job.model())
                .ranks(job.worldSize())
                .samples(job.sequenceLength(), job.microBatch(), job.accumulationSteps())
                .checkpointing(job.checkpointing())
                .checkpointedLayers(job.kept().checkpointedLayers())
                .offload(job.kept().offload())
                .attention(job.execution().attention())
                .dropout(job.execution().dropout())
                .kernels(job.kernels())
                .parallel(job.parallel());
    }

    /** Sets the ranks, on nodes of 8 GPUs. */
    public JobBuilder ranks(int ranks) {
        worldSize = ranks;
        return this;
    }

    public JobBuilder samples(int tokens, int perMicroBatch, int microBatches) {
        sequenceLength = tokens;
        microBatch = perMicroBatch;
        accumulationSteps = microBatches;
        return this;
    }

    public JobBuilder checkpointing(Checkpointing what) {
        checkpointing = what;
        return this;
    }

    public JobBuilder recomputing(List<String> modules) {
        checkpointing = Checkpointing.SELECTIVE;
        recomputed = new Recomputed(modules);
        return this;
    }

    public JobBuilder checkpointedLayers(int layers) {
        checkpointedLayers = layers;
        return this;
    }

    public JobBuilder offload(boolean activations) {
        activationOffload = activations;
        return this;
    }

    public JobBuilder attention(AttentionKind how) {
        attention = how;
        return this;
    }

    public JobBuilder dropout(boolean masks) {
        dropout = masks;
        return this;
    }

    public JobBuilder precision(Precision format) {
        precision = format;
        return this;
    }

    public JobBuilder optimizer(String name) {
        optimizer = Objects.requireNonNull(Optimizer.find(name));
        return this;
    }

    public JobBuilder fp8Recipe(String name) {
        fp8Recipe = name;
        return this;
    }

    public JobBuilder kernels(String profile) {
        kernels = profile;
        return this;
    }

    public JobBuilder parallel(ModelParallel split) {
        parallel = split;
        return this;
    }

    public TrainingJob build() {
        return new TrainingJob(
                model,
                new Ranks(worldSize, 8),
                new Batch(sequenceLength, microBatch, accumulationSteps),
                new LayerExecution(precision, attention, dropout, optimizer, kernels, fp8Recipe, CudaGraphs.NONE),
                new ActivationPolicy(
                        checkpointing,
                        checkpointedLayers < 0 ? model.layers() : checkpointedLayers,
                        activationOffload,
                        recomputed),
                1,
                parallel);
    }
}
