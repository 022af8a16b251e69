package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.strategy.ModuleTrace.Phase;
import io.shardsim.simulator.strategy.ModuleTrace.Segment;
import io.shardsim.simulator.strategy.ModuleTrace.Visit;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.HostOffload;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Writer of one training step of DeepSpeed's ZeRO stage 3 [1]; systems built on it override methods.
 *
 * <ul>
 *   <li>Tensors are gathered and released module by module, as decided by {@link ParameterCoordinator}.
 *   <li>The host does not issue a fetch while more than two earlier ones are in flight (__max_ongoing_fetch_events).
 *   <li>Gradients fill a bucket in backward order; a gradient that would overflow it first flushes the bucket. So bucket boundaries fall inside
 *       layers, and the pattern repeats every few layers.
 *   <li>A bucket is copied into contiguous memory if gradients are contiguous, split into shards and scaled (two or three passes over it),
 *       reduce-scattered, and added to the shard of gradients.
 *   <li>If communication does not overlap in backward, it is serialized with the layers: a gather waits for earlier compute, a layer for every gather
 *       and reduction issued before.
 *   <li>At the end of each backward the last bucket is flushed and the host waits for it; nothing is prefetched across micro-batches.
 *   <li>After the update, persistent tensors are gathered one by one.
 * </ul>
 *
 * <p>The compute of a layer is one operation, so it waits for all tensors of the layer, and a bucket flushed within a layer waits for the layer's
 * whole backward; gathers that the host issues during that layer go first.
 *
 * <p>States may be kept in host memory ({@link HostOffload}). Leaves out the first step's recording, allocator retries, and steps skipped by the FP16
 * loss scaler.
 *
 * <p>[1] deepspeed/runtime/zero/stage3.py, partition_parameters.py, partitioned_param_coordinator.py, v0.7.2.
 */
public abstract class Stage3Step {
    private static final int MAX_ONGOING_FETCH_EVENTS = 2;

    /** Job of the step. */
    protected final TrainingJob job;

    protected final StepWriter writer;

    /** Ranks that hold one copy of the states. */
    protected final RankGroups shard;

    protected final RankGroups replication;

    /** Last operations on the gather and on the reduce stream that used a communicator. */
    protected int lastGather = StepWriter.NONE;

    protected int lastReduce = StepWriter.NONE;

    private final StrategyParameters settings;
    private final ModuleTrace trace;
    private final ParameterCoordinator coordinator;
    private final long reduceBucket;
    private final boolean contiguous;
    private final boolean overlap;
    private final boolean overlapInBackward;
    private final HostOffload offload;
    private final int runAhead;

    private final int[] gatheredBy;
    private final Deque<Integer> fetches = new ArrayDeque<>();
    private final List<Integer> bucket = new ArrayList<>();
    private final List<int[]> fullBuckets = new ArrayList<>();
    private long bucketElements;
    private int[] computed = {};
    private long[] releasedBytes = {};
    private int synchronizedAt = StepWriter.NONE;
    private boolean backward;
    private boolean backwardHook;

    protected Stage3Step(TrainingJob job, StepWriter writer, StrategyParameters settings, RankGroups shard) {
        this.job = job;
        this.writer = writer;
        this.settings = settings;
        this.shard = shard;
        this.replication = ShardGroups.replication(shard, job);
        this.trace = ModuleTrace.of(job);
        this.coordinator = new ParameterCoordinator(
                trace,
                settings.whole("param_persistence_threshold"),
                settings.whole("prefetch_bucket_size"),
                settings.whole("max_live_parameters"),
                settings.whole("max_reuse_distance"));
        this.reduceBucket = settings.whole("reduce_bucket_size");
        this.contiguous = settings.flag("contiguous_gradients");
        this.overlap = settings.flag("overlap_comm");
        this.overlapInBackward = settings.flag("overlap_in_backward");
        this.offload = HostOffload.of(settings);
        this.runAhead = settings.count("run_ahead_layers");
        this.gatheredBy = new int[trace.tensors()];
    }

    // Methods to override.

    /** Gathers the tensors of one fetch or prefetch; returns the operation after which they are available. */
    protected abstract int gather(int[] tensors, String label, int... waits);

    /** Reduces a bucket of gradients, whose shards are then accumulated; returns the operation after which they are. */
    protected abstract int reduce(long elements, boolean lastMicroBatch, int... waits);

    /** Returns whether gathers and reductions share a communicator and so run in issue order. */
    protected abstract boolean sharesCommunicator();

    /** Returns the bytes of parameters that a rank keeps in addition to its shard. */
    protected long secondaryParameterBytes() {
        return 0;
    }

    // Step.

    public final void write() {
        holdStates();
        writer.allocate(MemoryOwner.PARAMETERS, secondaryParameterBytes());
        for (int i = 0; i < job.accumulationSteps(); i++) {
            writer.beginMicroBatch();
            microBatch(i == job.accumulationSteps() - 1);
        }
        writer.endMicroBatches();
        update();
    }

    /** Returns the trained parameters of a rank. */
    private long shardElements() {
        return IntStream.range(0, trace.tensors())
                .filter(trace::isTrained)
                .mapToLong(tensor -> paddedElements(tensor) / shard.size())
                .sum();
    }

    /** Returns the gathered bytes of a tensor. */
    private long gatheredBytes(int tensor) {
        return trace.isTrained(tensor)
                ? bytes(paddedElements(tensor))
                : ShardGroups.padded(trace.bytes(tensor, job.precision().bytes()), shard.size());
    }

    protected final long gatheredBytes(int[] tensors) {
        return IntStream.of(tensors).mapToLong(this::gatheredBytes).sum();
    }

    protected final long paddedElements(int tensor) {
        return ShardGroups.padded(trace.elements(tensor), shard.size());
    }

    protected final long paddedElements(int[] tensors) {
        long elements = 0;
        for (int tensor : tensors) {
            elements += paddedElements(tensor);
        }
        return elements;
    }

    /** Returns whether the modules of a backward, recomputation included, are being visited. */
    protected final boolean inBackward() {
        return backward;
    }

    /** Returns whether backward hooks are fetching; a recomputation uses the forward hooks. */
    protected final boolean inBackwardHook() {
        return backwardHook;
    }

    protected final long bytes(long elements) {
        return elements * job.precision().bytes();
    }

    private void holdStates() {
        long parameterBytes = 0;
        for (int tensor = 0; tensor < trace.tensors(); tensor++) {
            parameterBytes += coordinator.isPersistent(tensor) ? gatheredBytes(tensor) : 0;
            parameterBytes += offload.parameters() ? 0 : gatheredBytes(tensor) / shard.size();
        }
        writer.allocate(MemoryOwner.PARAMETERS, parameterBytes);
        if (!offload.optimizer()) {
            writer.allocate(MemoryOwner.GRADIENTS, bytes(shardElements()));
            writer.allocate(MemoryOwner.OPTIMIZER_STATES, job.optimizerBytes(shardElements()));
        }
        writer.allocate(MemoryOwner.BUCKETS, contiguous ? bytes(reduceBucket) : 0);
    }

    private void microBatch(boolean last) {
        coordinator.reset();
        // The host has waited for gradients computed after all of these.
        fetches.clear();
        lastGather = StepWriter.NONE;
        lastReduce = StepWriter.NONE;
        backward = false;
        List<Segment> segments = trace.segments();
        computed = new int[segments.size()];
        releasedBytes = new long[segments.size()];
        for (int i = 0; i < segments.size(); i++) {
            segment(segments.get(i), i, last);
        }
        for (long bytes : releasedBytes) {
            writer.free(MemoryOwner.GATHERED_UNITS, bytes);
        }
        sendBucket();
        reduceFullBuckets(computed[segments.size() - 1], last);
        synchronizedAt = writer.host(0, "wait for gradients", lastReduce);
    }

    private void segment(Segment segment, int index, boolean last) {
        boolean layer = segment.phase() == Phase.LAYER_FORWARD || segment.phase() == Phase.LAYER_BACKWARD;
        if (layer) {
            writer.beginLayer();
        }
        backward |= segment.phase() == Phase.HEAD_BACKWARD;
        int entered = enter(segment);
        int issued = issue(segment, index);
        boolean aside = overlapInBackward || !backward;
        int turn = aside ? StepWriter.NONE : computed[index - 1];
        for (int step = segment.firstVisit(); step < segment.endVisit(); step++) {
            visit(step, index, issued, turn);
        }
        long gradientBytes = bytes(gradientElements(segment));
        writer.allocate(MemoryOwner.BUCKETS, gradientBytes);
        computed[index] = compute(
                segment,
                issued,
                entered,
                tensorsReady(segment),
                aside ? StepWriter.NONE : lastGather,
                aside && overlap ? StepWriter.NONE : lastReduce);
        if (contiguous) {
            writer.free(MemoryOwner.BUCKETS, gradientBytes);
        }
        reduceFullBuckets(computed[index], last);
    }

    private int enter(Segment segment) {
        return switch (segment.phase()) {
            case LAYER_FORWARD -> writer.enterForward(segment.layer());
            case LAYER_BACKWARD -> writer.enterBackward(segment.layer());
            default -> StepWriter.NONE;
        };
    }

    /** Issues the hooks of a segment once memory of earlier layers is free. */
    private int issue(Segment segment, int index) {
        int freed = index - runAhead;
        if (freed >= 0) {
            writer.free(MemoryOwner.GATHERED_UNITS, releasedBytes[freed]);
            releasedBytes[freed] = 0;
        }
        long hooks = (long) segment.endVisit() - segment.firstVisit();
        return writer.host(
                Math.multiplyExact(hooks, settings.whole("host_time_per_module")),
                "issue modules",
                freed >= 0 ? computed[freed] : StepWriter.NONE,
                synchronizedAt);
    }

    private void visit(int step, int segment, int issued, int turn) {
        Visit visit = trace.visits().get(step);
        backwardHook = visit.backward();
        fetch(coordinator.fetch(step), "gather parameters", issued, turn);
        fetch(coordinator.prefetch(), "prefetch parameters", issued, turn);
        if (visit.computesGradients()) {
            for (int i = visit.tensors().length - 1; i >= 0; i--) {
                addToBucket(visit.tensors()[i]);
            }
        }
        releasedBytes[segment] += gatheredBytes(coordinator.release(step));
    }

    private void fetch(int[] tensors, String label, int issued, int turn) {
        if (tensors.length == 0) {
            return;
        }
        int ongoing = fetches.size() > MAX_ONGOING_FETCH_EVENTS ? fetches.removeFirst() : StepWriter.NONE;
        writer.allocate(MemoryOwner.GATHERED_UNITS, gatheredBytes(tensors));
        int before = sharesCommunicator() ? lastReduce : StepWriter.NONE;
        int gathered = offload.parameters()
                ? gather(tensors, label, loadShards(tensors, issued, ongoing, before, turn))
                : gather(tensors, label, issued, ongoing, before, turn);
        fetches.addLast(gathered);
        for (int tensor : tensors) {
            gatheredBy[tensor] = gathered;
        }
    }

    private int loadShards(int[] tensors, int... waits) {
        long shardBytes = bytes(paddedElements(tensors) / shard.size());
        return writer.hostCopy(Stream.GATHER, Work.Kind.HOST_LOAD, shardBytes, "load parameters", waits);
    }

    private int tensorsReady(Segment segment) {
        int ready = StepWriter.NONE;
        for (int step = segment.firstVisit(); step < segment.endVisit(); step++) {
            for (int tensor : trace.visits().get(step).tensors()) {
                ready = coordinator.isPersistent(tensor) ? ready : Math.max(ready, gatheredBy[tensor]);
            }
        }
        return ready;
    }

    private int compute(Segment segment, int... waits) {
        return switch (segment.phase()) {
            case EMBEDDING_FORWARD -> writer.forwardEmbedding(waits);
            case LAYER_FORWARD -> writer.forwardEntered(segment.layer(), waits);
            case HEAD_FORWARD -> writer.forwardHead(waits);
            case HEAD_BACKWARD -> writer.backwardHead(waits);
            case LAYER_BACKWARD -> writer.backwardEntered(segment.layer(), waits);
            case EMBEDDING_BACKWARD -> writer.backwardEmbedding(waits);
        };
    }

    // Gradients.

    private long gradientElements(Segment segment) {
        long elements = 0;
        for (int step = segment.firstVisit(); step < segment.endVisit(); step++) {
            Visit visit = trace.visits().get(step);
            if (visit.computesGradients()) {
                elements += elements(
                        IntStream.of(visit.tensors()).filter(trace::isTrained).toArray());
            }
        }
        return elements;
    }

    private void addToBucket(int tensor) {
        if (!trace.isTrained(tensor)) {
            return;
        }
        long elements = trace.elements(tensor);
        if (bucketElements > 0 && bucketElements + elements > reduceBucket) {
            sendBucket();
        }
        bucket.add(tensor);
        bucketElements += elements;
    }

    private void sendBucket() {
        if (!bucket.isEmpty()) {
            fullBuckets.add(bucket.stream().mapToInt(Integer::intValue).toArray());
            bucket.clear();
            bucketElements = 0;
        }
    }

    /**
     * Reduces full buckets. Contiguous gradients are first copied into the bucket; either way, the bucket is split into shards in a second buffer and
     * scaled there.
     */
    private void reduceFullBuckets(int ready, boolean last) {
        for (int[] full : fullBuckets) {
            long elements = paddedElements(full);
            writer.allocate(MemoryOwner.BUCKETS, bytes(elements));
            int before = sharesCommunicator() ? lastGather : StepWriter.NONE;
            int filled = writer.copy(Stream.REDUCE, (contiguous ? 6 : 4) * bytes(elements), "fill bucket", ready);
            lastReduce = reduce(elements, last, filled, before);
            if (offload.optimizer()) {
                lastReduce = offload.accumulate(writer, job, elements / shard.size(), last, lastReduce);
            } else {
                writer.copy(Stream.REDUCE, 5 * bytes(elements / shard.size()), "accumulate gradients", lastReduce);
            }
            writer.free(MemoryOwner.BUCKETS, bytes(elements + (contiguous ? 0 : elements(full))));
        }
        fullBuckets.clear();
    }

    private long elements(int[] tensors) {
        long elements = 0;
        for (int tensor : tensors) {
            elements += trace.elements(tensor);
        }
        return elements;
    }

    // Update.

    private void update() {
        int overflow =
                writer.allReduce(shard, 1, StepWriter.SCALAR_ALGORITHM, "all-reduce overflow flag", synchronizedAt);
        int checked = writer.host(0, "read overflow flag", overflow);
        if (offload.optimizer()) {
            updateOnHost(checked);
            return;
        }
        int norm = writer.compute(Work.Kind.GRADIENT_NORM, shardElements(), "gradient norm", checked);
        int summed = writer.allReduce(shard, 8, StepWriter.SCALAR_ALGORITHM, "all-reduce gradient norm", norm);
        int read = writer.host(0, "read gradient norm", summed);
        if (job.precision().isMixed()) {
            writer.allocate(MemoryOwner.OPTIMIZER_STATES, 4 * shardElements());
        }
        int updated = writer.compute(Work.Kind.OPTIMIZER_STEP, shardElements(), "optimizer step", read);
        if (job.precision().isMixed()) {
            writer.free(MemoryOwner.OPTIMIZER_STATES, 4 * shardElements());
        }
        gatherPersistent(updated);
    }

    /** Updates on the host. Gradient norms were computed on the GPU when the gradients were stored. */
    private void updateOnHost(int checked) {
        int summed = writer.allReduce(shard, 8, StepWriter.SCALAR_ALGORITHM, "all-reduce gradient norm", checked);
        int read = writer.host(0, "read gradient norm", summed);
        int updated = offload.update(writer, job, shardElements(), read);
        int back = offload.parameters()
                ? updated
                : writer.hostCopy(
                        Stream.COPY, Work.Kind.HOST_LOAD, bytes(shardElements()), "load updated parameters", updated);
        gatherPersistent(back);
    }

    private void gatherPersistent(int updated) {
        for (int tensor = 0; tensor < trace.tensors(); tensor++) {
            if (trace.startsLayer(tensor)) {
                writer.beginLayer();
            }
            if (coordinator.isPersistent(tensor)) {
                writer.gather(
                        shard,
                        gatheredBytes(tensor),
                        settings.name("gather_algorithm"),
                        "gather persistent parameters",
                        updated);
            }
        }
    }
}
