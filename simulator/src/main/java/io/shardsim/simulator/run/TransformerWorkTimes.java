package io.shardsim.simulator.run;

import io.shardsim.simulator.compute.AttentionSteps;
import io.shardsim.simulator.compute.BlockKernels;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.compute.LayerKernels;
import io.shardsim.simulator.compute.Stretches;
import io.shardsim.simulator.compute.TransformerTimes;
import io.shardsim.simulator.compute.TransformerTimes.Phase;
import io.shardsim.simulator.job.ModelParallel.Choice;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.Work.Kind;
import io.shardsim.simulator.plan.Work.Span;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;

/** How long a plan's work takes on one GPU type, by the compute model. */
public final class TransformerWorkTimes implements WorkTimes {
    private final TransformerTimes times;
    private final InstanceSpec instance;
    private final GpuCalibration calibration;
    private final boolean clips;
    private final List<String> remarks;
    private final LayerKernels kernels;
    private final Checkpointing checkpointing;

    public TransformerWorkTimes(TrainingJob job, InstanceSpec instance) {
        this.instance = instance;
        clips = job.gradientClipping() > 0;
        LayerKernels.Workload workload = new LayerKernels.Workload(
                job.sequenceLength(),
                job.microBatch(),
                job.parallel().tensor(),
                job.parallel().context(),
                job.parallel().sequence(),
                job.parallel().is(Choice.GATHERS_LOGITS),
                job.attention());
        FrameworkProfile profile = FrameworkProfile.named(job.kernels())
                .withElements(job.precision().bytes());
        calibration = GpuCalibration.of(instance.gpu());
        times = TransformerTimes.of(
                job.model(),
                instance.gpu(),
                calibration.slowestOf(job.worldSize()),
                instance.gpu().smCount(),
                workload,
                profile);
        kernels = new LayerKernels(job.model(), workload, profile);
        remarks = kernels.remarks(calibration);
        checkpointing = job.checkpointing();
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
    public int productsPerMille(Work work) {
        return switch (work.kind()) {
            case EMBEDDING_FORWARD,
                    EMBEDDING_BACKWARD,
                    HEAD_FORWARD,
                    HEAD_BACKWARD,
                    LAYER_FORWARD,
                    LAYER_RECOMPUTE,
                    LAYER_BACKWARD -> onGpu(work).productsPerMille();
            default -> 0;
        };
    }

    @Override
    public long waitPs(Work work, int ranks) {
        return switch (work.kind()) {
            case HEAD_FORWARD, HEAD_BACKWARD, LAYER_FORWARD, LAYER_RECOMPUTE, LAYER_BACKWARD ->
                onGpu(work).waitPs(ranks);
            default -> 0;
        };
    }

    @Override
    public double memoryRatio() {
        return calibration.elementwiseHbmRatio();
    }

    @Override
    public Bandwidth cacheRate() {
        return calibration.cacheRate(instance.gpu().smCount());
    }

    /** The kernels of one layer or a part of it, of the embedding or the head. */
    private Phase onGpu(Work work) {
        List<Kernel> list = span(work.span(), stretch(work));
        return switch (work.kind()) {
            case EMBEDDING_BACKWARD, HEAD_BACKWARD, LAYER_BACKWARD -> times.backward(list);
            default -> times.forward(list);
        };
    }

    private static List<Kernel> span(Span span, List<Kernel> stretch) {
        return switch (span) {
            case ALL -> stretch;
            case BEFORE_ATTENTION -> AttentionSteps.of(stretch).before();
            case ATTENTION_STEP -> AttentionSteps.of(stretch).step();
            case AFTER_ATTENTION -> AttentionSteps.of(stretch).after();
        };
    }

    private List<Kernel> stretch(Work work) {
        return switch (work.block()) {
            case WHOLE -> whole(work.kind());
            case ATTENTION -> stretch(kernels.attention(), work);
            case FEED_FORWARD -> stretch(kernels.feedForward(), work);
        };
    }

    private List<Kernel> whole(Kind kind) {
        return switch (kind) {
            case EMBEDDING_FORWARD -> kernels.embeddingForward();
            case EMBEDDING_BACKWARD -> kernels.embeddingBackward();
            case HEAD_FORWARD -> kernels.outputForward();
            case HEAD_BACKWARD -> kernels.outputBackward();
            case LAYER_FORWARD -> kernels.forward();
            case LAYER_RECOMPUTE -> kernels.recompute(checkpointing);
            case LAYER_BACKWARD -> kernels.backward();
            default -> throw new IllegalArgumentException(kind + " launches no listed kernels");
        };
    }

    private List<Kernel> stretch(BlockKernels block, Work work) {
        return switch (work.stretch()) {
            case ALL -> all(block, work.kind());
            case ENTRY -> stretches(block, work.kind()).entry();
            case MIDDLE -> stretches(block, work.kind()).middle();
            case EXIT -> stretches(block, work.kind()).exit();
            case ALL_BUT_EXIT -> block.inputGradient();
        };
    }

    private List<Kernel> all(BlockKernels block, Kind kind) {
        return switch (kind) {
            case LAYER_FORWARD -> block.forward();
            case LAYER_RECOMPUTE -> block.recompute(checkpointing);
            case LAYER_BACKWARD -> block.backward();
            default -> throw new IllegalArgumentException(kind + " has no blocks");
        };
    }

    private Stretches stretches(BlockKernels block, Kind kind) {
        return kind == Kind.LAYER_BACKWARD ? block.backwardStretches() : block.stretches(all(block, kind));
    }
}
