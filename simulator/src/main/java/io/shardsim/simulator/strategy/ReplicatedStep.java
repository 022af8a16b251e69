package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.PipelinePartition;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.strategy.writing.ActivationOffload;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import io.shardsim.simulator.workload.ParameterTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * Writer of one training step of a pipeline stage, for systems that keep all parameters of the stage on every rank: forward and backward gather
 * nothing, and gradients are reduced in buckets in backward order. Without pipeline parallelism there is one stage.
 *
 * <p>The compute of a layer is one operation, so a bucket that fills up within a layer waits for the layer's whole backward.
 */
public abstract class ReplicatedStep {
    /** Job of the step. */
    protected final TrainingJob job;

    protected final StepWriter writer;
    /** Data-parallel ranks with the same shard of the model. */
    protected final RankGroups world;

    /** Last operation that reduced or accumulated gradients. */
    protected int lastReduce = StepWriter.NONE;

    /** Model chunk whose forward or backward is being written. */
    protected int piece;

    private final int stage;
    private final PipelinePartition partition;
    private final boolean overlap;
    private final List<RankGroups> replicas;
    private final long[] bucketElements;
    private final List<Bucket> fullBuckets = new ArrayList<>();

    /**
     * Gradients reduced together.
     *
     * @param among ranks that hold the same parameters
     */
    public record Bucket(RankGroups among, long elements) {}

    /**
     * @param overlap whether reductions overlap with the backward
     */
    protected ReplicatedStep(TrainingJob job, StepWriter writer, int stage, boolean overlap) {
        this.job = job;
        this.writer = writer;
        this.stage = stage;
        this.partition = writer.partition();
        this.overlap = overlap || job.parallel().overlapsExperts();
        this.world = ShardGroups.shard(job.dataParallel(), job);
        this.replicas =
                job.parallel().experts() == 1 ? List.of(world) : List.of(world, ShardGroups.expertReplicas(job));
        this.bucketElements = new long[replicas.size()];
    }

    // Differences between systems.

    /** Allocates model states and permanent buffers. */
    protected abstract void holdStates();

    /** Returns whether the gradients of this micro-batch are reduced. */
    protected boolean reducesIn(boolean lastMicroBatch) {
        return lastMicroBatch;
    }

    /** Returns whether a bucket is sent before a gradient is added to it. */
    protected boolean goesBefore(long bucketElements, long nextElements) {
        return false;
    }

    /** Returns whether a bucket is sent after a gradient has been added to it. */
    protected boolean goesAfter(long bucketElements) {
        return false;
    }

    /** Returns whether full buckets wait for the gradients of further layers, or for the end of backward. */
    protected boolean holdsBuckets() {
        return false;
    }

    /** Reduces a bucket; returns the last operation on it. If reductions do not overlap with backward, that is its last operation. */
    protected int reduce(Bucket bucket, int computed) {
        return computed;
    }

    /** Writes what ends a micro-batch; returns the operation after which its gradients may be reduced. */
    protected int endBackward(int computed) {
        return computed;
    }

    /** Prepares the optimizer's other inputs; returns the operation after which it has them. */
    protected abstract int prepareUpdate(int gradientsReady);

    /** Writes the optimizer step and what follows it. */
    protected abstract void update(int prepared);

    /** Returns the bytes of a gradient in the reduction. */
    protected abstract int gradientBytes();

    /** Writes the work that precedes the forward pass of these parameters, such as casts; returns the operation to wait for. */
    protected int beforeForward(RankGroups among, long elements) {
        return StepWriter.NONE;
    }

    /**
     * Writes the work that follows the backward pass of these parameters, such as gradient casts; returns the operation after which the gradients are
     * ready.
     */
    protected int afterBackward(long elements, int computed) {
        return computed;
    }

    /** Starts or stops keeping a model chunk's input for its backward. */
    protected void keepsInput(boolean keeps) {}

    // Step.

    /**
     * Writes the step of all stages.
     *
     * @param stepOfStage creates the system's step for a stage
     */
    public static void write(TrainingJob job, StepWriter writer, IntFunction<? extends ReplicatedStep> stepOfStage) {
        if (job.parallel().stages() > 1) {
            new PipelineStep(job, writer, stepOfStage).write();
            return;
        }
        ReplicatedStep step = stepOfStage.apply(0);
        step.holdStates();
        int ahead = job.parallel().overlapsExperts() ? 1 : 0;
        for (int i = 0; i < job.accumulationSteps() + ahead; i++) {
            boolean last = i == job.accumulationSteps() + ahead - 1;
            writer.beginMicroBatch();
            if (ahead == 0 || i == 0) {
                step.forward(0);
            }
            if (ahead == 1 && i > 0 && !last) {
                writer.alternate(() -> {}, () -> step.backward(0, false, false), () -> step.forward(0));
            } else if (i >= ahead) {
                step.backward(0, last, false);
            }
        }
        writer.endMicroBatches();
        update(job, writer, List.of(step));
    }

    /** Updates all stages; the gradient norm covers the whole model. */
    static void update(TrainingJob job, StepWriter writer, List<? extends ReplicatedStep> steps) {
        int[] prepared = new int[steps.size()];
        for (ReplicatedStep step : steps) {
            writer.onStage(step.stage);
            prepared[step.stage] = step.prepareUpdate(step.lastReduce);
        }
        boolean normOfParts = job.parallel().ranks() > 1 && job.gradientClipping() > 0;
        int summed = normOfParts
                ? writer.allReduceOverModel(4, "all-reduce gradient norm over model", prepared)
                : StepWriter.NONE;
        for (ReplicatedStep step : steps) {
            writer.onStage(step.stage);
            step.update(normOfParts ? summed : prepared[step.stage]);
        }
    }

    /** Returns the trained parameters of this stage on one rank; an embedding used twice is held by the first and the last stage. */
    protected final long parameters() {
        return pieces().mapToLong(this::parameters).sum();
    }

    /** Returns the groups of ranks with the same parameters: one for everything but experts, and one for experts if their replicas differ. */
    protected final List<RankGroups> replicas() {
        return replicas;
    }

    /** Returns how many of this stage's parameters are replicated across these groups, one of {@link #replicas}. */
    protected final long parameters(RankGroups among) {
        return pieces().mapToLong(at -> parameters(at, among)).sum();
    }

    /** Returns how many of a model chunk's parameters are replicated across these groups. */
    protected final long parameters(int ofPiece, RankGroups among) {
        long ofExperts = ofLayers(ofPiece, job::expertParameters);
        return among.equals(world) ? parameters(ofPiece) - ofExperts : ofExperts;
    }

    private long ofLayers(int ofPiece, IntToLongFunction ofLayer) {
        int first = partition.firstLayer(ofPiece);
        return IntStream.range(first, first + partition.layers(ofPiece))
                .mapToLong(ofLayer)
                .sum();
    }

    /** Returns the number of layer parameters on this stage. */
    protected final long layerParameters() {
        return pieces().mapToLong(this::layerParameters).sum();
    }

    private long layerParameters(int ofPiece) {
        return ofLayers(ofPiece, job::layerParameters);
    }

    /** Returns the parameters of one model chunk on one rank. */
    protected final long parameters(int ofPiece) {
        long sum = layerParameters(ofPiece);
        sum += partition.holdsEmbedding(ofPiece) ? job.embeddingParameters() : 0;
        sum += partition.holdsHead(ofPiece) ? job.outputParameters() : 0;
        boolean secondCopy = partition.holdsHead(ofPiece) && job.parallel().stages() > 1;
        sum += secondCopy && job.model().usesEmbeddingTwice()
                ? job.embeddingTensors().get(0).elements()
                : 0;
        return sum;
    }

    /** Returns the bytes of the frozen parameters of this stage on one rank. */
    protected final long frozenBytes() {
        return pieces().mapToLong(this::frozenBytes).sum();
    }

    private long frozenBytes(int ofPiece) {
        return ofLayers(ofPiece, job::layerFrozenBytes)
                + (partition.holdsEmbedding(ofPiece) ? job.rootFrozenBytes() : 0);
    }

    /** Returns the model chunks on this stage, in forward order. */
    final IntStream pieces() {
        return IntStream.iterate(
                stage, at -> at < partition.pieces(), at -> at + job.parallel().stages());
    }

    /** Returns the gradient buckets of a model chunk, in backward order. */
    final List<Bucket> bucketsOf(int ofPiece) {
        piece = ofPiece;
        if (partition.holdsHead(piece)) {
            fillBuckets(job.outputTensors());
        }
        for (int i = partition.layers(piece) - 1; i >= 0; i--) {
            fillBuckets(job.layerTensors(partition.firstLayer(piece) + i));
        }
        if (partition.holdsEmbedding(piece)) {
            fillBuckets(job.embeddingTensors());
        }
        closeBuckets();
        List<Bucket> buckets = List.copyOf(fullBuckets);
        fullBuckets.clear();
        return buckets;
    }

    protected final long bytes(long elements) {
        return elements * job.precision().bytes();
    }

    /** Writes the forward pass of one micro-batch through one model chunk. */
    final void forward(int ofPiece) {
        piece = ofPiece;
        keepsInput(true);
        ActivationOffload offload = offloadOf(piece);
        if (partition.holdsEmbedding(piece)) {
            writer.forwardEmbedding(beforeForward(world, job.embeddingParameters()), afterReduction());
        }
        for (int i = 0; i < partition.layers(piece); i++) {
            beginLayer();
            int layer = partition.firstLayer(piece) + i;
            writer.forwardLayer(layer, beforeLayer(layer));
        }
        if (job.parallel().stages() > 1) {
            offload.endForward();
        }
        if (partition.holdsHead(piece)) {
            writer.forwardHead(beforeForward(world, job.outputParameters()));
        }
    }

    private int[] beforeLayer(int layer) {
        long ofExperts = job.expertParameters(layer);
        int[] waits = new int[replicas.size()];
        waits[0] = beforeForward(world, job.layerParameters(layer) - ofExperts);
        if (waits.length > 1) {
            waits[1] = beforeForward(replicas.get(1), ofExperts);
        }
        return waits;
    }

    /** Writes the part of a backward pass that the stage before waits for. */
    final void inputGradients(int ofPiece) {
        piece = ofPiece;
        if (partition.holdsHead(piece)) {
            writer.inputGradientsOfHead();
        }
        for (int i = partition.layers(piece) - 1; i >= 0; i--) {
            writer.inputGradientsOfLayer(partition.firstLayer(piece) + i, afterReduction());
        }
    }

    /** Writes the backward pass of one micro-batch through one model chunk, or only the gradients of weights. */
    final void backward(int ofPiece, boolean lastMicroBatch, boolean split) {
        piece = ofPiece;
        offloadOf(piece);
        boolean reduces = reducesIn(lastMicroBatch);
        int ready = StepWriter.NONE;
        if (partition.holdsHead(piece)) {
            int computed = split ? writer.weightGradientsOfHead() : writer.backwardHead();
            ready = afterBackward(job.outputParameters(), computed);
            send(job.outputTensors(), reduces, ready);
        }
        for (int i = partition.layers(piece) - 1; i >= 0; i--) {
            beginLayer();
            int layer = partition.firstLayer(piece) + i;
            int computed = split ? writer.weightGradientsOfLayer(layer) : writer.backwardLayer(layer, afterReduction());
            ready = afterBackward(job.layerParameters(layer), computed);
            send(job.layerTensors(layer), reduces, ready);
        }
        if (partition.holdsEmbedding(piece)) {
            ready = afterBackward(job.embeddingParameters(), writer.backwardEmbedding(afterReduction()));
            send(job.embeddingTensors(), reduces, ready);
        }
        keepsInput(false);
        ready = endBackward(ready);
        if (reduces) {
            closeBuckets();
            reduceFullBuckets(ready);
        }
        lastReduce = Math.max(lastReduce, ready);
    }

    /** Loads offloaded activations for an upcoming backward. */
    final void loadAhead(int ofPiece) {
        offloadOf(ofPiece).loadAhead();
    }

    /** Returns the activation offload of a model chunk. */
    private ActivationOffload offloadOf(int ofPiece) {
        ActivationOffload offload = writer.offload();
        offload.onLayers(partition.firstLayer(ofPiece), partition.layers(ofPiece));
        return offload;
    }

    /** Starts a layer. Layers of several stages overlap and do not repeat together; layers of one stage do. */
    private void beginLayer() {
        if (job.parallel().stages() == 1) {
            writer.beginLayer();
        }
    }

    /** Returns what backward waits for if reductions do not overlap with it. */
    private int afterReduction() {
        return overlap ? StepWriter.NONE : lastReduce;
    }

    private void send(List<ParameterTensor> tensors, boolean reduces, int computed) {
        if (reduces) {
            fillBuckets(tensors);
            if (!holdsBuckets()) {
                reduceFullBuckets(computed);
            }
        }
    }

    private void fillBuckets(List<ParameterTensor> tensors) {
        List<ParameterTensor> trained =
                tensors.stream().filter(ParameterTensor::isTrained).toList();
        for (int i = trained.size() - 1; i >= 0; i--) {
            long elements = trained.get(i).elements();
            int among = trained.get(i).isOfExperts() ? replicas.size() - 1 : 0;
            if (goesBefore(bucketElements[among], elements)) {
                closeBucket(among);
            }
            bucketElements[among] += elements;
            if (goesAfter(bucketElements[among])) {
                closeBucket(among);
            }
        }
    }

    private void closeBuckets() {
        for (int among = 0; among < replicas.size(); among++) {
            closeBucket(among);
        }
    }

    private void closeBucket(int among) {
        if (bucketElements[among] > 0) {
            fullBuckets.add(new Bucket(replicas.get(among), bucketElements[among]));
            bucketElements[among] = 0;
        }
    }

    private void reduceFullBuckets(int computed) {
        for (Bucket bucket : fullBuckets) {
            lastReduce = reduce(bucket, computed);
        }
        fullBuckets.clear();
    }
}
