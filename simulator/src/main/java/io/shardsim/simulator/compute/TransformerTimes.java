package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.topology.GpuSpec;
import java.util.List;

/**
 * Times of the phases of a training step on one rank: a layer, the embedding, the output, the optimizer.
 *
 * <p>A phase lasts as long as the GPU computes or the host issues its kernels, whichever is longer: the host runs ahead of
 * a busy GPU, and a GPU with little to do waits for the host.
 *
 * <p>Leaves out collectives, the data loader and one-off costs of a first step.
 */
public final class TransformerTimes {
    private final KernelTimeModel model;
    private final LayerKernels kernels;
    private final FrameworkProfile profile;

    /**
     * @param model how long a kernel takes
     * @param kernels what a rank launches
     */
    public TransformerTimes(KernelTimeModel model, LayerKernels kernels) {
        this.model = model;
        this.kernels = kernels;
        this.profile = kernels.profile();
    }

    /** Times on all SMs of a GPU, by its own calibration. */
    public static TransformerTimes of(
            ModelShape shape, GpuSpec gpu, LayerKernels.Workload workload, FrameworkProfile profile) {
        return of(shape, gpu, GpuCalibration.of(gpu), gpu.smCount(), workload, profile);
    }

    /** Times on some of the SMs of a GPU, by a given calibration. */
    public static TransformerTimes of(
            ModelShape shape,
            GpuSpec gpu,
            GpuCalibration calibration,
            int availableSms,
            LayerKernels.Workload workload,
            FrameworkProfile profile) {
        GpuCalibration shipped = calibration.under(profile, gpu.architecture());
        return new TransformerTimes(
                new RooflineKernelTime(gpu, shipped, availableSms, profile.elementBytes()),
                new LayerKernels(shape, workload, profile));
    }

    /**
     * How long a phase takes.
     *
     * @param gpuPs sum of its kernels on the GPU [ps]
     * @param memoryPs part of it in kernels that wait for memory [ps]
     * @param hostPs time for the host to issue them [ps]
     */
    public record Phase(long gpuPs, long memoryPs, long hostPs) {
        /** The longer of the two [ps]. */
        public long ps() {
            return Math.max(gpuPs, hostPs);
        }

        /** Share of the phase in which it waits for memory, in thousandths. */
        public int memoryPerMille() {
            return ps() == 0 ? 0 : (int) (1000 * memoryPs / ps());
        }
    }

    public Phase embeddingForward() {
        return forward(kernels.embeddingForward());
    }

    public Phase embeddingBackward() {
        return backward(kernels.embeddingBackward());
    }

    /** Forward of one transformer layer. */
    public Phase layerForward() {
        return forward(kernels.forward());
    }

    /** Backward of one transformer layer, recomputation not included. */
    public Phase layerBackward() {
        return backward(kernels.backward());
    }

    /** Forward of a layer's attention block. */
    public Phase attentionForward() {
        return forward(kernels.attentionBlockForward());
    }

    /** Backward of a layer's attention block. */
    public Phase attentionBackward() {
        return backward(kernels.attentionBlockBackward());
    }

    /** Forward of a layer's feed-forward block. */
    public Phase feedForwardForward() {
        return forward(kernels.feedForwardBlockForward());
    }

    /** Backward of a layer's feed-forward block. */
    public Phase feedForwardBackward() {
        return backward(kernels.feedForwardBlockBackward());
    }

    /** Backward of a layer's attention block up to the gradient of its input. */
    public Phase attentionInputGradient() {
        return backward(kernels.attentionInputGradient());
    }

    /** Gradients of the weights that the attention block's input meets first. */
    public Phase attentionWeightGradients() {
        return backward(kernels.attentionWeightGradients());
    }

    /** Backward of a layer's feed-forward block up to the gradient of its input. */
    public Phase feedForwardInputGradient() {
        return backward(kernels.feedForwardInputGradient());
    }

    /** Gradients of the weights that the feed-forward block's input meets first. */
    public Phase feedForwardWeightGradients() {
        return backward(kernels.feedForwardWeightGradients());
    }

    /** What is computed again of a layer's attention block, where its input is kept. */
    public Phase attentionRecompute(Checkpointing checkpointing) {
        return forward(kernels.attentionBlockRecompute(checkpointing));
    }

    /** What is computed again of a layer's feed-forward block, where the layer's input is kept. */
    public Phase feedForwardRecompute(Checkpointing checkpointing) {
        return forward(kernels.feedForwardBlockRecompute(checkpointing));
    }

    /** What is computed again before the backward of one layer. */
    public Phase layerRecompute(Checkpointing checkpointing) {
        return forward(kernels.recompute(checkpointing));
    }

    /** Final norm, logits and loss. */
    public Phase outputForward() {
        return forward(kernels.outputForward());
    }

    public Phase outputBackward() {
        return backward(kernels.outputBackward());
    }

    /** Local part of the gradient norm of so many parameters. */
    public Phase gradientNorm(long parameters) {
        return forward(profile.kernels(Operator.GRADIENT_NORM, parameters));
    }

    /** Scaling the gradient of so many parameters by the clip factor. */
    public Phase gradientClip(long parameters) {
        return forward(profile.kernels(Operator.GRADIENT_CLIP, parameters));
    }

    /** Optimizer update of so many local parameters. */
    public Phase optimizerStep(long parameters) {
        return forward(profile.kernels(Operator.OPTIMIZER, parameters));
    }

    /** Moving bytes within GPU memory (read plus written): casts, copies into buckets and flat buffers. */
    public Phase memoryMove(long bytes) {
        return forward(List.of(new Kernel.MemoryBound("move", bytes)));
    }

    private Phase forward(List<Kernel> list) {
        return phase(list, profile.hostForwardKernelPs());
    }

    private Phase backward(List<Kernel> list) {
        return phase(list, profile.hostBackwardKernelPs());
    }

    private Phase phase(List<Kernel> list, long hostKernelPs) {
        long gpuPs = 0;
        long memoryPs = 0;
        for (Kernel kernel : list) {
            long ps = model.kernelPs(kernel);
            gpuPs = Math.addExact(gpuPs, ps);
            memoryPs += kernel instanceof Kernel.MemoryBound ? ps : 0;
        }
        return new Phase(gpuPs, memoryPs, list.size() * hostKernelPs);
    }
}
