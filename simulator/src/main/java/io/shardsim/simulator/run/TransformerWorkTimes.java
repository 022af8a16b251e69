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
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** How long a plan's work takes on one GPU type, by the compute model. */
public final class TransformerWorkTimes implements WorkTimes {
    private final TransformerTimes times;
    private final InstanceSpec instance;
    private final GpuCalibration calibration;
    private final boolean clips;
    private final List<String> remarks;
    /** Priced when asked for: a plan names some of them, each once. */
    private final Map<Kind, Map<Part, Supplier<Phase>>> phases;

    public TransformerWorkTimes(TrainingJob job, InstanceSpec instance) {
        this.instance = instance;
        clips = job.gradientClipping() > 0;
        LayerKernels.Workload workload = new LayerKernels.Workload(
                job.sequenceLength(),
                job.microBatch(),
                job.parallel().tensor(),
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
        LayerKernels kernels = new LayerKernels(job.model(), workload, profile);
        remarks = kernels.remarks(calibration);
        phases = Map.of(
                Kind.EMBEDDING_FORWARD,
                Map.of(Part.WHOLE, times::embeddingForward),
                Kind.EMBEDDING_BACKWARD,
                Map.of(Part.WHOLE, times::embeddingBackward),
                Kind.HEAD_FORWARD,
                Map.of(Part.WHOLE, times::outputForward),
                Kind.HEAD_BACKWARD,
                Map.of(Part.WHOLE, times::outputBackward),
                Kind.LAYER_FORWARD,
                joined(
                        Map.of(
                                Part.WHOLE, times::layerForward,
                                Part.ATTENTION, times::attentionForward,
                                Part.FEED_FORWARD, times::feedForwardForward),
                        stretches(
                                () -> kernels.attentionStretches(kernels.attentionBlockForward()),
                                () -> kernels.feedForwardStretches(kernels.feedForwardBlockForward()),
                                times::forward)),
                Kind.LAYER_RECOMPUTE,
                joined(
                        Map.of(
                                Part.WHOLE, () -> times.layerRecompute(job.checkpointing()),
                                Part.ATTENTION, () -> times.attentionRecompute(job.checkpointing()),
                                Part.FEED_FORWARD, () -> times.feedForwardRecompute(job.checkpointing())),
                        stretches(
                                () -> kernels.attentionStretches(kernels.attentionBlockRecompute(job.checkpointing())),
                                () -> kernels.feedForwardStretches(
                                        kernels.feedForwardBlockRecompute(job.checkpointing())),
                                times::forward)),
                Kind.LAYER_BACKWARD,
                joined(
                        Map.of(
                                Part.WHOLE, times::layerBackward,
                                Part.ATTENTION, times::attentionBackward,
                                Part.FEED_FORWARD, times::feedForwardBackward,
                                Part.ATTENTION_INPUT, times::attentionInputGradient,
                                Part.ATTENTION_WEIGHTS, times::attentionWeightGradients,
                                Part.FEED_FORWARD_INPUT, times::feedForwardInputGradient,
                                Part.FEED_FORWARD_WEIGHTS, times::feedForwardWeightGradients),
                        stretches(
                                kernels::attentionBackwardStretches,
                                kernels::feedForwardBackwardStretches,
                                times::backward)));
    }

    private static Map<Part, Supplier<Phase>> joined(
            Map<Part, Supplier<Phase>> blocks, Map<Part, Supplier<Phase>> stretches) {
        Map<Part, Supplier<Phase>> all = new EnumMap<>(blocks);
        all.putAll(stretches);
        return all;
    }

    private static Map<Part, Supplier<Phase>> stretches(
            Supplier<Stretches> attention, Supplier<Stretches> feedForward, Function<List<Kernel>, Phase> pass) {
        return Map.of(
                Part.ATTENTION_ENTRY, () -> pass.apply(attention.get().entry()),
                Part.ATTENTION_MIDDLE, () -> pass.apply(attention.get().middle()),
                Part.ATTENTION_EXIT, () -> pass.apply(attention.get().exit()),
                Part.FEED_FORWARD_ENTRY, () -> pass.apply(feedForward.get().entry()),
                Part.FEED_FORWARD_MIDDLE, () -> pass.apply(feedForward.get().middle()),
                Part.FEED_FORWARD_EXIT, () -> pass.apply(feedForward.get().exit()));
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
        return phases.containsKey(work.kind()) ? onGpu(work).productsPerMille() : 0;
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
        Supplier<Phase> phase = phases.getOrDefault(work.kind(), Map.of()).get(work.part());
        if (phase == null) {
            throw new IllegalArgumentException(work.kind() + " has no part " + work.part());
        }
        return phase.get();
    }
}
