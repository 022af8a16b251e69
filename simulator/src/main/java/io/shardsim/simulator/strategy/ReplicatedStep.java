package io.shardsim.simulator.strategy;

import io.shardsim.simulator.workload.ParameterTensor;
import java.util.ArrayList;
import java.util.List;

/**
 * One training step, while it is being written, of systems that keep all parameters on every rank: forward and backward
 * gather nothing, gradients leave in buckets in the order in which backward makes them.
 *
 * <p>The compute of a layer is one operation, so a bucket that is full within a layer waits for the whole of its backward.
 */
abstract class ReplicatedStep {
    /** What the step is written for. */
    final TrainingJob job;

    final StepWriter writer;
    final RankGroups world;

    /** Last operation that reduced or added up gradients. */
    int lastReduce = StepWriter.NONE;

    private final boolean overlap;
    private long bucketElements;
    private final List<Long> fullBuckets = new ArrayList<>();

    /**
     * @param overlap whether reductions run beside the backward
     */
    ReplicatedStep(TrainingJob job, StepWriter writer, boolean overlap) {
        this.job = job;
        this.writer = writer;
        this.overlap = overlap;
        this.world = ShardGroups.shard(job.worldSize(), job.worldSize());
    }

    // What tells the systems apart.

    /** Allocates model states and permanent buffers. */
    abstract void holdStates();

    /** True when the gradients of this micro-batch are reduced. */
    abstract boolean reducesIn(boolean lastMicroBatch);

    /** True when a bucket goes off before a gradient is added to it. */
    abstract boolean goesBefore(long bucketElements, long nextElements);

    /** True when a bucket goes off once a gradient has been added to it. */
    abstract boolean goesAfter(long bucketElements);

    /** Reduces a bucket; returns the last operation on it. */
    abstract int reduce(long elements, int computed);

    /** Optimizer step and what follows it. */
    abstract void update(int gradientsReady);

    /** Work before the forward of elements, such as casting them; returns the operation to wait for. */
    int beforeForward(long elements) {
        return StepWriter.NONE;
    }

    /** Work after the backward of elements, such as casting their gradients; returns the operation after which they are there. */
    int afterBackward(long elements, int computed) {
        return computed;
    }

    // The step.

    final void write() {
        holdStates();
        for (int i = 0; i < job.accumulationSteps(); i++) {
            writer.beginMicroBatch();
            forwardPass();
            backwardPass(reducesIn(i == job.accumulationSteps() - 1));
        }
        update(lastReduce);
    }

    final long parameters() {
        return job.model().parameters();
    }

    final long bytes(long elements) {
        return elements * job.precision().bytes();
    }

    private void forwardPass() {
        writer.forwardEmbedding(
                beforeForward(job.model().embeddingParameters()), overlap ? StepWriter.NONE : lastReduce);
        for (int layer = 0; layer < job.model().layers(); layer++) {
            writer.beginLayer();
            writer.forwardLayer(layer, beforeForward(job.model().layerParameters()));
        }
        writer.forwardHead(beforeForward(job.model().outputParameters()));
    }

    private void backwardPass(boolean reduces) {
        int head = afterBackward(job.model().outputParameters(), writer.backwardHead());
        send(job.model().outputTensors(), reduces, head);
        for (int layer = job.model().layers() - 1; layer >= 0; layer--) {
            writer.beginLayer();
            int computed = writer.backwardLayer(layer, overlap ? StepWriter.NONE : lastReduce);
            send(job.model().layerTensors(), reduces, afterBackward(job.model().layerParameters(), computed));
        }
        int embedding = writer.backwardEmbedding(overlap ? StepWriter.NONE : lastReduce);
        int ready = afterBackward(job.model().embeddingParameters(), embedding);
        send(job.model().embeddingTensors(), reduces, ready);
        if (reduces) {
            closeBucket();
            reduceFullBuckets(ready);
        }
        lastReduce = Math.max(lastReduce, ready);
    }

    private void send(List<ParameterTensor> tensors, boolean reduces, int computed) {
        if (!reduces) {
            return;
        }
        for (int i = tensors.size() - 1; i >= 0; i--) {
            long elements = tensors.get(i).elements();
            if (goesBefore(bucketElements, elements)) {
                closeBucket();
            }
            bucketElements += elements;
            if (goesAfter(bucketElements)) {
                closeBucket();
            }
        }
        reduceFullBuckets(computed);
    }

    private void closeBucket() {
        if (bucketElements > 0) {
            fullBuckets.add(bucketElements);
            bucketElements = 0;
        }
    }

    private void reduceFullBuckets(int computed) {
        for (long elements : fullBuckets) {
            lastReduce = reduce(elements, computed);
        }
        fullBuckets.clear();
    }
}
