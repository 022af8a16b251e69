package io.shardsim.simulator.run;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.compute.LayerKernels;
import io.shardsim.simulator.compute.TransformerTimes;
import io.shardsim.simulator.strategy.TrainingJob;
import io.shardsim.simulator.strategy.Work;
import io.shardsim.simulator.strategy.WorkTimes;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.topology.InstanceSpec;
import java.util.List;

/** How long a plan's work takes on one GPU type, by the compute model. */
public final class TransformerWorkTimes implements WorkTimes {
    private final TransformerTimes times;
    private final Checkpointing checkpointing;
    private final InstanceSpec instance;
    private final boolean clips;
    private final List<String> remarks;

    public TransformerWorkTimes(TrainingJob job, InstanceSpec instance) {
        this.instance = instance;
        checkpointing = job.checkpointing();
        clips = job.gradientClipping() > 0;
        LayerKernels.Workload workload = new LayerKernels.Workload(
                job.sequenceLength(),
                job.microBatch(),
                job.parallel().tensor(),
                job.parallel().sequence(),
                job.attention());
        FrameworkProfile profile = FrameworkProfile.named(job.kernels())
                .withElements(job.precision().bytes());
        times = TransformerTimes.of(job.model(), instance.gpu(), workload, profile);
        remarks = new LayerKernels(job.model(), workload, profile).remarks(GpuCalibration.of(instance.gpu()));
    }

    /** What to read before trusting these times; empty inside the range of the GPU's calibration. */
    public List<String> remarks() {
        return remarks;
    }

    @Override
    public long ps(Work work) {
        long amount = work.amount();
        return switch (work.kind()) {
            case EMBEDDING_FORWARD, EMBEDDING_BACKWARD, HEAD_FORWARD, HEAD_BACKWARD ->
                onGpu(work).ps();
            case LAYER_FORWARD, LAYER_RECOMPUTE, LAYER_BACKWARD ->
                amount * onGpu(work).ps();
            case GRADIENT_NORM ->
                times.gradientNorm(amount).ps()
                        + (clips ? times.gradientClip(amount).ps() : 0);
            case OPTIMIZER_STEP -> times.optimizerStep(amount).ps();
            case MEMORY_COPY -> times.memoryMove(amount).ps();
            case HOST_STORE, HOST_LOAD -> instance.pcie().linkRate().serializationPs(amount);
            case HOST_TIME -> amount;
        };
    }

    @Override
    public int memoryPerMille(Work work) {
        return switch (work.kind()) {
            case HEAD_FORWARD, HEAD_BACKWARD, LAYER_FORWARD, LAYER_RECOMPUTE, LAYER_BACKWARD ->
                onGpu(work).memoryPerMille();
            case EMBEDDING_FORWARD, EMBEDDING_BACKWARD, GRADIENT_NORM, OPTIMIZER_STEP, MEMORY_COPY -> 1000;
            case HOST_STORE, HOST_LOAD, HOST_TIME -> 0;
        };
    }

    @Override
    public double memoryRatio() {
        return GpuCalibration.of(instance.gpu()).elementwiseHbmRatio();
    }

    /** The kernels of one layer, embedding or head. */
    private TransformerTimes.Phase onGpu(Work work) {
        return switch (work.kind()) {
            case EMBEDDING_FORWARD -> times.embeddingForward();
            case EMBEDDING_BACKWARD -> times.embeddingBackward();
            case HEAD_FORWARD -> times.outputForward();
            case HEAD_BACKWARD -> times.outputBackward();
            case LAYER_FORWARD -> forward(work.part());
            case LAYER_RECOMPUTE -> recompute(work.part());
            case LAYER_BACKWARD -> backward(work.part());
            default -> throw new IllegalArgumentException(work.kind() + " is no part of the model");
        };
    }

    private TransformerTimes.Phase forward(Work.Part part) {
        return switch (part) {
            case WHOLE -> times.layerForward();
            case ATTENTION -> times.attentionForward();
            case FEED_FORWARD -> times.feedForwardForward();
            default -> throw backwardOnly(part);
        };
    }

    private TransformerTimes.Phase recompute(Work.Part part) {
        return switch (part) {
            case WHOLE -> times.layerRecompute(checkpointing);
            case ATTENTION -> times.attentionForward();
            case FEED_FORWARD -> times.feedForwardRecompute();
            default -> throw backwardOnly(part);
        };
    }

    private TransformerTimes.Phase backward(Work.Part part) {
        return switch (part) {
            case WHOLE -> times.layerBackward();
            case ATTENTION -> times.attentionBackward();
            case FEED_FORWARD -> times.feedForwardBackward();
            case ATTENTION_INPUT -> times.attentionInputGradient();
            case ATTENTION_WEIGHTS -> times.attentionWeightGradients();
            case FEED_FORWARD_INPUT -> times.feedForwardInputGradient();
            case FEED_FORWARD_WEIGHTS -> times.feedForwardWeightGradients();
        };
    }

    private static IllegalArgumentException backwardOnly(Work.Part part) {
        return new IllegalArgumentException(part + " is part of a backward pass alone");
    }
}
