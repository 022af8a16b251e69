package io.shardsim.simulator.compute.calibration;

import io.shardsim.simulator.compute.TransformerTimes;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;

/**
 * Hand-computed training step on one node: compute from {@link TransformerTimes}, collectives from measured curves, overlap as a maximum per layer.
 * Only to judge the compute model; the simulator uses devices and queues.
 */
final class StepEstimate {
    private static final int HALF_BYTES = 2;

    private StepEstimate() {}

    /** Returns the time of fully sharded data parallelism over the GPUs of one node, with gradients reduced every micro-batch [ps]. */
    static double fullyShardedPs(
            ModelShape shape,
            TransformerTimes times,
            NcclTable nccl,
            String gpu,
            int gpus,
            int accumulation,
            Segment recomputed,
            int gradientBytes,
            double smShare) {
        Segments segments = new Segments(shape.operators());
        long layerParameters = shape.layerParameters(0);
        double gather = nccl.ps(gpu, "all_gather", gpus, HALF_BYTES * layerParameters);
        double scatter = nccl.ps(gpu, "reduce_scatter", gpus, gradientBytes * layerParameters);
        double forward = overlapped(times.of(segments.forward(Section.LAYER)).ps(), gather, smShare);
        double backwardCompute = times.of(recomputed).ps()
                + times.of(segments.backward(Section.LAYER)).ps()
                + reduceCopiesPs(times, layerParameters, gradientBytes);
        double backward = overlapped(backwardCompute, gather + scatter, smShare);
        long outerParameters = shape.embeddingParameters() + shape.outputParameters();
        double outer = times.of(segments.forward(Section.EMBEDDING)).ps()
                + times.of(segments.backward(Section.EMBEDDING)).ps()
                + times.of(segments.forward(Section.HEAD)).ps()
                + times.of(segments.backward(Section.HEAD)).ps()
                + reduceCopiesPs(times, outerParameters, gradientBytes)
                + 2 * nccl.ps(gpu, "all_gather", gpus, HALF_BYTES * outerParameters)
                + nccl.ps(gpu, "reduce_scatter", gpus, gradientBytes * outerParameters);
        double microBatch = shape.layers() * (forward + backward) + outer;
        long local = shape.parameters() / gpus;
        return accumulation * microBatch
                + times.gradientNorm(local).ps()
                + times.gradientClip(local).ps()
                + times.optimizerStep(local).ps();
    }

    /** Returns the time to flatten gradients, cast them if they are reduced in FP32, and divide them by the ranks, as in FSDP's plan. */
    private static double reduceCopiesPs(TransformerTimes times, long parameters, int gradientBytes) {
        double cast = gradientBytes == HALF_BYTES
                ? 0
                : times.memoryMove((HALF_BYTES + gradientBytes) * parameters).ps();
        return times.memoryMove(2 * HALF_BYTES * parameters).ps()
                + cast
                + times.memoryMove(2 * gradientBytes * parameters).ps();
    }

    /** Returns the time to read the new gradient and the sum, and write the sum, in 16 bits. */
    private static double accumulatePs(TransformerTimes times, long parameters) {
        return times.memoryMove(3 * HALF_BYTES * parameters).ps();
    }

    /** Returns the time of compute that gives a share of its SMs to a collective while that runs. */
    private static double overlapped(double compute, double collective, double smShare) {
        return Math.max(compute + smShare * collective, collective);
    }

    /** Returns the time of Megatron on one node: tensor, pipeline and data parallel [ps]. */
    static double megatronPs(
            ModelShape shape,
            TransformerTimes times,
            NcclTable nccl,
            String gpu,
            int tensorParallel,
            int pipelineParallel,
            int dataParallel,
            int microBatches,
            long tokens,
            Checkpointing checkpointing) {
        Segments segments = new Segments(shape.operators());
        double reduce = nccl.ps(gpu, "all_reduce", tensorParallel, HALF_BYTES * tokens * shape.hidden());
        double layer = times.of(segments.forward(Section.LAYER)).ps()
                + times.of(segments.recompute(Section.LAYER, checkpointing, false))
                        .ps()
                + times.of(segments.backward(Section.LAYER)).ps()
                + (checkpointing == Checkpointing.FULL ? 6 : 4) * reduce
                + accumulatePs(times, shape.layerParameters(0, tensorParallel));
        int layersPerStage = shape.layers() / pipelineParallel;
        long embedding = shape.embeddingParameters(tensorParallel);
        double head = times.of(segments.forward(Section.HEAD)).ps()
                + times.of(segments.backward(Section.HEAD)).ps();
        double first = times.of(segments.forward(Section.EMBEDDING)).ps()
                + times.of(segments.backward(Section.EMBEDDING)).ps();
        double accumulateEmbedding = accumulatePs(times, embedding);
        double stage = layersPerStage * layer;
        double firstStage = stage + first + accumulateEmbedding + (pipelineParallel == 1 ? head : 0);
        double lastStage = pipelineParallel == 1 ? firstStage : stage + head + accumulateEmbedding;
        double slowest = Math.max(firstStage, lastStage);
        double bubble = pipelineParallel == 1 ? 0 : firstStage + lastStage + (pipelineParallel - 2) * stage - slowest;
        long local = layersPerStage * shape.layerParameters(0, tensorParallel) + embedding;
        double sync = nccl.ps(gpu, "all_reduce", dataParallel, HALF_BYTES * local);
        return microBatches * slowest
                + bubble
                + sync
                + times.gradientNorm(local).ps()
                + times.gradientClip(local).ps()
                + times.optimizerStep(local).ps();
    }
}
