package io.shardsim.simulator.run;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.compute.LayerKernels;
import io.shardsim.simulator.compute.LayerKernels.Stretches;
import io.shardsim.simulator.compute.TransformerTimes;
import io.shardsim.simulator.compute.TransformerTimes.Phase;
import io.shardsim.simulator.strategy.TrainingJob;
import io.shardsim.simulator.strategy.Work;
import io.shardsim.simulator.strategy.Work.Kind;
import io.shardsim.simulator.strategy.Work.Part;
import io.shardsim.simulator.strategy.WorkTimes;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** How long a plan's work takes on one GPU type, by the compute model. */
public final class TransformerWorkTimes implements WorkTimes {
    private final TransformerTimes times;
    private final InstanceSpec instance;
    private final GpuCalibration calibration;
    private final boolean clips;
    private final List<String> remarks;
    private final LayerKernels kernels;
    /** What is launched, listed when asked for: a plan names some of them, each once. */
    private final Map<Kind, Map<Part, Supplier<List<Kernel>>>> parts;

    public TransformerWorkTimes(TrainingJob job, InstanceSpec instance) {
        this.instance = instance;
        clips = job.gradientClipping() > 0;
        LayerKernels.Workload workload = new LayerKernels.Workload(
                job.sequenceLength(),
                job.microBatch(),
                job.parallel().tensor(),
                job.parallel().context(),
                job.parallel().sequence(),
                job.parallel().gathersLogits(),
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
        Checkpointing checkpointing = job.checkpointing();
        parts = Map.of(
                Kind.EMBEDDING_FORWARD,
                Map.of(Part.WHOLE, kernels::embeddingForward),
                Kind.EMBEDDING_BACKWARD,
                Map.of(Part.WHOLE, kernels::embeddingBackward),
                Kind.HEAD_FORWARD,
                Map.of(Part.WHOLE, kernels::outputForward),
                Kind.HEAD_BACKWARD,
                Map.of(Part.WHOLE, kernels::outputBackward),
                Kind.LAYER_FORWARD,
                joined(
                        Map.of(
                                Part.WHOLE, kernels::forward,
                                Part.ATTENTION, kernels::attentionBlockForward,
                                Part.FEED_FORWARD, kernels::feedForwardBlockForward),
                        stretches(
                                () -> kernels.attentionStretches(kernels.attentionBlockForward()),
                                () -> kernels.feedForwardStretches(kernels.feedForwardBlockForward()))),
                Kind.LAYER_RECOMPUTE,
                joined(
                        Map.of(
                                Part.WHOLE, () -> kernels.recompute(checkpointing),
                                Part.ATTENTION, () -> kernels.attentionBlockRecompute(checkpointing),
                                Part.FEED_FORWARD, () -> kernels.feedForwardBlockRecompute(checkpointing)),
                        stretches(
                                () -> kernels.attentionStretches(kernels.attentionBlockRecompute(checkpointing)),
                                () -> kernels.feedForwardStretches(kernels.feedForwardBlockRecompute(checkpointing)))),
                Kind.LAYER_BACKWARD,
                joined(
                        Map.of(
                                Part.WHOLE, kernels::backward,
                                Part.ATTENTION, kernels::attentionBlockBackward,
                                Part.FEED_FORWARD, kernels::feedForwardBlockBackward,
                                Part.ATTENTION_INPUT, kernels::attentionInputGradient,
                                Part.ATTENTION_WEIGHTS, kernels::attentionWeightGradients,
                                Part.FEED_FORWARD_INPUT, kernels::feedForwardInputGradient,
                                Part.FEED_FORWARD_WEIGHTS, kernels::feedForwardWeightGradients),
                        stretches(kernels::attentionBackwardStretches, kernels::feedForwardBackwardStretches)));
    }

    private static Map<Part, Supplier<List<Kernel>>> joined(
            Map<Part, Supplier<List<Kernel>>> blocks, Map<Part, Supplier<List<Kernel>>> stretches) {
        Map<Part, Supplier<List<Kernel>>> all = new EnumMap<>(blocks);
        all.putAll(stretches);
        return all;
    }

    private static Map<Part, Supplier<List<Kernel>>> stretches(
            Supplier<Stretches> attention, Supplier<Stretches> feedForward) {
        return Map.of(
                Part.ATTENTION_ENTRY, () -> attention.get().entry(),
                Part.ATTENTION_MIDDLE, () -> attention.get().middle(),
                Part.ATTENTION_EXIT, () -> attention.get().exit(),
                Part.FEED_FORWARD_ENTRY, () -> feedForward.get().entry(),
                Part.FEED_FORWARD_MIDDLE, () -> feedForward.get().middle(),
                Part.FEED_FORWARD_EXIT, () -> feedForward.get().exit());
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
        return parts.containsKey(work.kind()) ? onGpu(work).productsPerMille() : 0;
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
        return new Bandwidth((long) calibration.l2BytesPerSecond());
    }

    /** The kernels of one layer or a part of it, of the embedding or the head. */
    private Phase onGpu(Work work) {
        Supplier<List<Kernel>> part = parts.getOrDefault(work.kind(), Map.of()).get(work.part());
        if (part == null) {
            throw new IllegalArgumentException(work.kind() + " has no part " + work.part());
        }
        List<Kernel> list = switch (work.span()) {
            case ALL -> part.get();
            case BEFORE_ATTENTION -> kernels.beforeAttention(part.get());
            case ATTENTION_STEP -> kernels.attentionStep(part.get());
            case AFTER_ATTENTION -> kernels.afterAttention(part.get());
        };
        return switch (work.kind()) {
            case EMBEDDING_BACKWARD, HEAD_BACKWARD, LAYER_BACKWARD -> times.backward(list);
            default -> times.forward(list);
        };
    }
}
