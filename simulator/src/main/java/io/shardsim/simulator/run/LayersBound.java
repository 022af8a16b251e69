package io.shardsim.simulator.run;

import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.PipelinePartition;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.pipeline.PipelineSchedule;
import io.shardsim.simulator.pipeline.PipelineSchedules;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;
import io.shardsim.topology.Cluster;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Lower bound on a job's step time, from the kernels of its layers and their offload traffic. It is cheap, since it needs no plan.
 *
 * <p>A stage of a pipeline computes its layers for every micro-batch, one after another, checkpointed ones once more. Before its first forward, a
 * micro-batch passes the layers before it; after its last backward, gradients pass them back. Leaves out everything other than layers, and all
 * communication.
 */
public final class LayersBound {
    private final TrainingJob job;
    private final Cluster cluster;
    private final IntToLongFunction offloadedBytes;
    /** Forward time by kind of layer. */
    private final long[] forwardPs;

    private final long[] backwardPs;
    private final long[] againPs;

    private LayersBound(TrainingJob job, Cluster cluster, IntToLongFunction offloadedBytes) {
        this.job = job;
        this.cluster = cluster;
        this.offloadedBytes = offloadedBytes;
        WorkTimes times = new TransformerWorkTimes(job, cluster);
        Segments segments = new Segments(job.model().operators(), job.kept().recomputed());
        int kinds = job.model().operators().kinds().size();
        forwardPs = new long[kinds];
        backwardPs = new long[kinds];
        againPs = new long[kinds];
        for (int kind = 0; kind < kinds; kind++) {
            Section layer = Section.layer(kind);
            forwardPs[kind] = ps(times, segments, segments.forward(layer));
            backwardPs[kind] = ps(times, segments, segments.backward(layer));
            againPs[kind] = job.checkpointing() == Checkpointing.NONE
                    ? 0
                    : ps(
                            times,
                            segments,
                            segments.recompute(
                                    layer, job.checkpointing(), job.profile().recomputeStopsEarly()));
        }
    }

    /** Returns the time of a layer; with context parallelism, attention runs in as many steps as ranks. */
    private long ps(WorkTimes times, Segments segments, Segment layer) {
        int ranks = job.parallel().context();
        if (ranks == 1) {
            return times.ps(Work.of(layer));
        }
        long sumPs = 0;
        for (Segment block : segments.blocks(layer)) {
            if (segments.hasAttention(block)) {
                Segments.Attending cut = segments.attending(block);
                sumPs += times.ps(Work.of(cut.before()))
                        + ranks * times.ps(Work.of(cut.step()))
                        + times.ps(Work.of(cut.after()));
            } else {
                sumPs += times.ps(Work.of(block));
            }
        }
        return sumPs;
    }

    /**
     * Computes the bound [ps].
     *
     * @param offloadedBytes bytes that each layer offloads to the host, and loads back, per micro-batch
     */
    public static long ps(TrainingJob job, Cluster cluster, IntToLongFunction offloadedBytes) {
        return new LayersBound(job, cluster, offloadedBytes).ps();
    }

    private long ps() {
        ModelParallel parallel = job.parallel();
        List<Integer> firstLayers = PipelinePartition.of(job).firstLayers();
        long longestPs = 0;
        for (int stage = 0; stage < parallel.stages(); stage++) {
            long microBatchPs = 0;
            double copiedBytes = 0;
            for (int piece = stage; piece < parallel.virtualStages(); piece += parallel.stages()) {
                microBatchPs += layersPs(firstLayers.get(piece), firstLayers.get(piece + 1));
                for (int layer = firstLayers.get(piece); layer < firstLayers.get(piece + 1); layer++) {
                    copiedBytes += offloadedBytes.applyAsLong(layer);
                }
            }
            longestPs = Math.max(
                    longestPs,
                    StepBound.copiesPs(cluster, parallel.stages(), stage, copiedBytes * job.accumulationSteps()));
            long passPs = passPs(firstLayers.get(stage), endsWithFirstPiece(stage));
            longestPs = Math.max(
                    longestPs, Math.addExact(Math.multiplyExact(microBatchPs, job.accumulationSteps()), passPs));
        }
        return longestPs;
    }

    /** Returns the time of layers for one micro-batch. */
    private long layersPs(int from, int to) {
        long sumPs = 0;
        for (int layer = from; layer < to; layer++) {
            int kind = job.model().kindOf(layer);
            sumPs += forwardPs[kind] + backwardPs[kind];
            sumPs += job.checkpointing(layer) == Checkpointing.NONE ? 0 : againPs[kind];
        }
        return sumPs;
    }

    /** Returns the time to reach a stage through the layers before it, or to get back through them. */
    private long passPs(int layers, boolean back) {
        long sumPs = 0;
        for (int layer = 0; layer < layers; layer++) {
            int kind = job.model().kindOf(layer);
            sumPs += forwardPs[kind] + (back ? backwardPs[kind] : 0);
        }
        return sumPs;
    }

    /** Returns whether a stage ends with a backward of its first model chunk, for which earlier stages wait. */
    private boolean endsWithFirstPiece(int stage) {
        ModelParallel parallel = job.parallel();
        if (stage == 0) {
            return false;
        }
        List<PipelineSchedule.Pass> passes = PipelineSchedules.all()
                .named(parallel.pipeline().schedule())
                .passes(
                        stage,
                        parallel.stages(),
                        job.accumulationSteps(),
                        parallel.pipeline().chunks());
        PipelineSchedule.Pass last = passes.get(passes.size() - 1);
        return last.kind() == PipelineSchedule.Pass.Kind.BACKWARD && last.chunk() == 0;
    }
}
