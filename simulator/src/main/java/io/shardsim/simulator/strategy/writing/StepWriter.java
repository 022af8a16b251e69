package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.ModelParallel.Choice;
import io.shardsim.simulator.job.PipelinePartition;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.Operation.Collective;
import io.shardsim.simulator.plan.Operation.Compute;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.Work.Kind;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Writes the sentences of which every strategy's story of a training step is made: a layer's forward with the activations
 * that it keeps, its backward with what it recomputes, a gather, a reduction, a copy, the update.
 *
 * <p>It knows the model's arithmetic and memory ({@link MicroBatchMemory}), and nothing of who holds which shard: that is the strategy's part.
 */
public final class StepWriter {
    /** Of 0.54 to 0.69 GB on A100 (github.com/NVIDIA/nccl issue 964, 2023-08), as in {@code runtime_memory}. */
    private static final long COMMUNICATOR_BYTES = 600_000_000L;

    /**
     * Carries all-reduces of single numbers. NCCL would take a tree, which ends some milliseconds a step sooner; but in a tree every node
     * has a place of its own, and no node could stand for another for the sake of four bytes.
     */
    public static final String SCALAR_ALGORITHM = "ring";

    /** Owners whose memory comes and goes within a step. */
    public static final Set<MemoryOwner> ALLOCATED_IN_STEP = Collections.unmodifiableSet(EnumSet.of(
            MemoryOwner.GATHERED_UNITS, MemoryOwner.ACTIVATIONS, MemoryOwner.WORKING_SET, MemoryOwner.BUCKETS));

    /** No operation; plans ignore it among waits. */
    public static final int NONE = -1;

    private final TrainingJob job;
    private final FrameworkProfile profile;
    private final MicroBatchMemory memory;
    private final PipelinePartition partition;
    private final StepPlan.Builder plan = StepPlan.builder();
    private final Map<Operation, Operation> shared = new HashMap<>();
    /** For each stage; empty where activations stay on the GPU. */
    private final List<ActivationOffload> offloads = new ArrayList<>();

    /** Pipeline stage that is being written, or {@link StepPlan#EVERY_STAGE}. */
    private int stage = StepPlan.EVERY_STAGE;
    /** For each stage, the last operation on its compute stream. */
    private final int[] lastCompute;
    /** For each stage, what its next compute must wait for: a tensor-parallel collective, or what another stage sends. */
    private final int[][] awaited;

    /** Owners whose memory goes through the allocator piece by piece. */
    private final Set<MemoryOwner> fragmented;
    /** For each stage, what they hold but for what comes and goes in order, and the most that was. */
    private final long[] fragmentedBytes;

    private final long[] fragmentedPeak;

    private final RankGroups tensor;
    private final BlockWriter blocks;
    private final Segments segments;

    private StepWriter(TrainingJob job, StrategyParameters settings, Set<MemoryOwner> fragmented) {
        this.job = job;
        this.fragmented = fragmented;
        this.profile = job.profile();
        this.memory = new MicroBatchMemory(job, profile);
        this.partition = PipelinePartition.of(job);
        int stages = job.parallel().stages();
        for (int at = 0; at < stages; at++) {
            offloads.add(ActivationOffload.of(this, job, settings, memory::keptBytes));
        }
        this.fragmentedBytes = new long[stages];
        this.fragmentedPeak = new long[stages];
        this.lastCompute = new int[stages];
        Arrays.fill(lastCompute, NONE);
        this.awaited = new int[stages][0];
        this.tensor = ShardGroups.tensor(job);
        this.blocks = new BlockWriter(this, job, profile, memory);
        this.segments = new Segments(job.model().operators(), job.kept().recomputed());
        plan.stages(stages).within(job.ranks().memoryLimit());
    }

    /**
     * Writes a plan, and adds the share of the memory it allocates and frees while it runs which the allocator loses to fragmentation. What layers keep
     * that are neither recomputed nor offloaded comes and goes as in the step before, last in first out, and the allocator hands out the same blocks: what
     * fragments memory is recomputation, offloading and sharding (GMLake, arXiv:2401.08156, abstract).
     *
     * @param parameters settings with {@code runtime_memory}, {@code fragmentation} and what activation offload needs
     * @param fragmented owners whose memory goes through the allocator piece by piece
     * @param story the strategy's own part
     */
    public static StepPlan write(
            TrainingJob job, StrategyParameters parameters, Set<MemoryOwner> fragmented, Consumer<StepWriter> story) {
        int stages = job.parallel().stages();
        StepWriter writer = new StepWriter(job, parameters, fragmented);
        writer.allocate(MemoryOwner.RUNTIME, parameters.whole("runtime_memory") + communicatorBytes(job.parallel()));
        story.accept(writer);
        for (int stage = 0; stage < stages; stage++) {
            long lostBytes = (long) (parameters.fraction("fragmentation") * writer.fragmentedPeak[stage]);
            writer.onStage(stage);
            writer.plan.memoryThroughout(MemoryOwner.FRAGMENTATION, lostBytes + idleBytes(writer.plan, stage));
        }
        return writer.plan.build();
    }

    /** Buffers of the communicators that a rank has beside that of its data-parallel group: one for each other group it is in. */
    private static long communicatorBytes(ModelParallel parallel) {
        int groups =
                (parallel.tensor() > 1 ? 1 : 0) + (parallel.context() > 1 ? 1 : 0) + (parallel.stages() > 1 ? 1 : 0);
        return groups * COMMUNICATOR_BYTES;
    }

    /**
     * What is reserved for gradients while none are there. They come from collectives, on a stream of their own, and the allocator gives the blocks of
     * one stream to no other (c10/cuda/CUDACachingAllocator.cpp, BlockPool).
     */
    private static long idleBytes(StepPlan.Builder plan, int stage) {
        EnumSet<MemoryOwner> gradients = EnumSet.of(MemoryOwner.GRADIENTS);
        long apart = MemoryLedger.peakBytes(plan.memoryChanges(), gradients, stage)
                + MemoryLedger.peakBytes(plan.memoryChanges(), EnumSet.complementOf(gradients), stage);
        return apart - MemoryLedger.peakBytes(plan.memoryChanges(), EnumSet.allOf(MemoryOwner.class), stage);
    }

    // Stages, marks and memory.

    /** Names the pipeline stage that does what is written next. */
    public void onStage(int nextStage) {
        stage = job.parallel().stages() == 1 ? StepPlan.EVERY_STAGE : nextStage;
        plan.stage(stage);
    }

    /** Which layers each piece of the model holds. */
    public PipelinePartition partition() {
        return partition;
    }

    /** The last operation of the compute stream, of the stage that is being written. */
    int lastCompute() {
        return lastCompute[stageIndex()];
    }

    private int stageIndex() {
        return Math.max(0, stage);
    }

    /** Offloaded activations of the stage that is being written. */
    public ActivationOffload offload() {
        return offloads.get(stageIndex());
    }

    public void beginMicroBatch() {
        plan.mark(1);
    }

    /** Where the last micro-batch ends, so that it reads like those before it. */
    public void endMicroBatches() {
        plan.mark(1);
    }

    public void beginLayer() {
        plan.mark(0);
    }

    public void allocate(MemoryOwner owner, long bytes) {
        change(owner, bytes, fragmented.contains(owner));
    }

    public void free(MemoryOwner owner, long bytes) {
        allocate(owner, -bytes);
    }

    private void change(MemoryOwner owner, long bytes, boolean fragments) {
        plan.memory(owner, bytes);
        if (fragments) {
            int at = stageIndex();
            fragmentedBytes[at] += bytes;
            fragmentedPeak[at] = Math.max(fragmentedPeak[at], fragmentedBytes[at]);
        }
    }

    /** Begins to keep a layer's activations, or ends it. */
    private void keep(int layer, long bytes) {
        boolean inOrder =
                job.checkpointing(layer) == Checkpointing.NONE && !job.kept().offload();
        change(MemoryOwner.ACTIVATIONS, bytes, !inOrder && fragmented.contains(MemoryOwner.ACTIVATIONS));
    }

    // Forward.

    public int forwardEmbedding(int... waits) {
        int computed = compute(Work.of(segments.forward(Section.EMBEDDING)), "forward embedding", waits);
        blocks.leave("embedding");
        return computed;
    }

    /** Forward of one layer; keeps its activations, in host memory if the job says so. */
    public int forwardLayer(int layer, int... waits) {
        return forwardEntered(layer, with(waits, enterForward(layer)));
    }

    /** What comes before the host goes through the modules of a layer; returns what the layer's forward waits for. */
    public int enterForward(int layer) {
        return offload().enterForward(layer);
    }

    /** Forward of a layer that has been entered. */
    public int forwardEntered(int layer, int... waits) {
        long temporary = memory.dequantizedBytes(layer)
                + (job.checkpointing(layer).startsFromInput() ? memory.backwardTemporaryBytes(layer) : 0);
        keep(layer, memory.keptBytes(layer));
        allocate(MemoryOwner.WORKING_SET, temporary);
        int forward = blocks.forward(layer, "forward layer", waits);
        free(MemoryOwner.WORKING_SET, temporary);
        offload().leaveForward(layer, forward);
        return forward;
    }

    /** Final norm, logits and loss; keeps what its backward needs. */
    public int forwardHead(int... waits) {
        if (job.parallel().stages() == 1) {
            offload().endForward();
        }
        allocate(MemoryOwner.WORKING_SET, memory.outputBytes());
        blocks.enter("head", memory.hiddenBytes(), waits);
        long pieceBytes = memory.lossPieceBytes();
        allocate(MemoryOwner.WORKING_SET, pieceBytes);
        int computed = compute(Work.of(segments.forward(Section.HEAD)), "forward head", waits);
        free(MemoryOwner.WORKING_SET, pieceBytes);
        blocks.leaveHead();
        return computed;
    }

    // Backward.

    public int backwardHead(int... waits) {
        long gradients = memory.logitBytes(profile.logitGradientBytes());
        allocate(MemoryOwner.WORKING_SET, gradients);
        allocate(MemoryOwner.BUCKETS, memory.tiedGradientBytes());
        int backward = compute(Work.of(segments.backward(Section.HEAD)), "backward head", waits);
        blocks.leave("head gradient");
        free(MemoryOwner.WORKING_SET, gradients + memory.outputBytes());
        return backward;
    }

    /** Recomputation and backward of one layer; frees its activations. Returns the backward. */
    public int backwardLayer(int layer, int... waits) {
        return backwardRestored(layer, restoreLayer(layer, waits));
    }

    /** What comes before the host goes through the modules of a layer again; returns what the layer's backward waits for. */
    public int enterBackward(int layer) {
        return offload().enterBackward(layer);
    }

    /** Recomputation and backward of a layer that has been entered. */
    public int backwardEntered(int layer, int... waits) {
        return backwardRestored(layer, restoreEntered(layer, waits));
    }

    /** Loads and computes again what a layer has not kept. Returns what its backward waits for. */
    public int[] restoreLayer(int layer, int... waits) {
        return restoreEntered(layer, with(waits, enterBackward(layer)));
    }

    private int[] restoreEntered(int layer, int... waits) {
        allocate(MemoryOwner.WORKING_SET, memory.recomputedBytes(layer));
        return job.checkpointing(layer) == Checkpointing.NONE
                ? waits
                : new int[] {blocks.recompute(layer, "recompute layer", waits)};
    }

    /** Backward of a restored layer; frees its activations. */
    public int backwardRestored(int layer, int... waits) {
        long temporary = memory.backwardTemporaryBytes(layer) + memory.dequantizedBytes(layer);
        allocate(MemoryOwner.WORKING_SET, temporary);
        int backward = blocks.backward(layer, "backward layer", waits);
        free(MemoryOwner.WORKING_SET, memory.recomputedBytes(layer) + temporary);
        keep(layer, -memory.keptBytes(layer));
        offload().leaveBackward(backward);
        return backward;
    }

    /** Ends the backward; the gradient of a tied embedding joins the one that the head has left. */
    public int backwardEmbedding(int... waits) {
        blocks.enter("embedding gradient", memory.hiddenBytes(), waits);
        int backward = compute(Work.of(segments.backward(Section.EMBEDDING)), "backward embedding", waits);
        free(MemoryOwner.BUCKETS, memory.tiedGradientBytes());
        return backward;
    }

    // The update.

    /** The optimizer over a shard of what is updated, which costs by the bytes it has, and what the framework's own allocates meanwhile. */
    public int updateShard(long elements, int... waits) {
        long in32Bits = elements * job.precision().stateBytes() / Precision.FP32.bytes();
        long temporary = profile.optimizerTemporaryBytes() * in32Bits;
        allocate(MemoryOwner.WORKING_SET, temporary);
        int updated = compute(Kind.OPTIMIZER_STEP, in32Bits, "optimizer step", waits);
        free(MemoryOwner.WORKING_SET, temporary);
        return updated;
    }

    // Pipeline parallelism.

    /** The operation after which all that has been written for the stage is computed, what other ranks add to it included. */
    public int result() {
        int[] waits = awaited[stageIndex()];
        return waits.length == 0 ? lastCompute() : waits[waits.length - 1];
    }

    /** Bytes of a micro-batch that a rank holds where one piece of the model ends and the next begins. */
    public long boundaryBytes() {
        return job.parallel().sequence() ? memory.hiddenBytes() / tensor.size() : memory.hiddenBytes();
    }

    /**
     * Passes activations on, or their gradients back, to the stage that is being written. The receiver asks for them when it has nothing else to
     * do, as Megatron-LM and DeepSpeed do, and computes on when they are there. Each rank of a tensor-parallel group sends its part alone, and
     * the receivers gather the parts (scatter_gather_tensors_in_pipeline; partitioned activations); or each sends all there is.
     *
     * @param from stage that sends
     * @param sent operation of that stage after which there is something to send
     */
    public void receive(boolean forward, int from, int sent) {
        int at = stage;
        int low = Math.min(from, at);
        int high = Math.max(from, at);
        Stream stream = lane(forward, from);
        plan.between(low, high);
        boolean gathers = tensor.size() > 1
                && !job.parallel().sequence()
                && job.parallel().is(Choice.SCATTER_GATHER);
        int received = collective(
                stream,
                from < at ? CollectiveKind.BROADCAST : CollectiveKind.BROADCAST_FROM_LAST,
                RankGroups.between(low, high, job.stageRanks(), job.worldSize()),
                gathers ? memory.hiddenBytes() / tensor.size() : boundaryBytes(),
                "auto",
                forward ? "pass activations on" : "pass gradients back",
                with(awaited[at], sent, lastCompute[at]));
        plan.stage(at);
        if (gathers) {
            received = collective(
                    stream,
                    CollectiveKind.ALL_GATHER,
                    tensor,
                    memory.hiddenBytes(),
                    "auto",
                    "gather what was passed",
                    received);
        }
        awaited[at] = new int[] {received};
    }

    private static Stream lane(boolean forward, int from) {
        if (from % 2 == 0) {
            return forward ? Stream.PIPELINE_FORWARD : Stream.PIPELINE_BACKWARD;
        }
        return forward ? Stream.PIPELINE_FORWARD_ODD : Stream.PIPELINE_BACKWARD_ODD;
    }

    /** Adds up the gradients of an embedding that the first stage looks up and the last one multiplies with. */
    public int tieEmbeddings(long bytes, int... waits) {
        int last = job.parallel().stages() - 1;
        plan.between(0, last);
        int done = allReduce(
                RankGroups.between(0, last, job.stageRanks(), job.worldSize()),
                bytes,
                "auto",
                "all-reduce tied embedding",
                waits);
        plan.stage(stage);
        return done;
    }

    /**
     * Adds up a number over the ranks that hold one copy of the model, within each stage and then over the stages. These wait there until the first stage has
     * done its last backward, so that the exchange counts as the pipeline's.
     */
    public int allReduceOverModel(long bytes, String label, int... waits) {
        plan.stage(StepPlan.EVERY_STAGE);
        int done = NONE;
        int[] before = waits;
        if (tensor.size() > 1) {
            done = allReduce(tensor, bytes, SCALAR_ALGORITHM, label, before);
            before = new int[] {done};
        }
        if (job.parallel().stages() > 1) {
            RankGroups group =
                    new RankGroups("pipeline", job.worldSize(), job.parallel().stages(), job.stageRanks());
            done = collective(
                    Stream.PIPELINE_BACKWARD, CollectiveKind.ALL_REDUCE, group, bytes, SCALAR_ALGORITHM, label, before);
        }
        plan.stage(stage);
        return done;
    }

    // Communication, copies, host.

    public int gather(RankGroups groups, long totalBytes, String algorithm, String label, int... waits) {
        return collective(Stream.GATHER, CollectiveKind.ALL_GATHER, groups, totalBytes, algorithm, label, waits);
    }

    public int reduceScatter(RankGroups groups, long totalBytes, String algorithm, String label, int... waits) {
        return collective(Stream.REDUCE, CollectiveKind.REDUCE_SCATTER, groups, totalBytes, algorithm, label, waits);
    }

    public int allReduce(RankGroups groups, long totalBytes, String algorithm, String label, int... waits) {
        return collective(Stream.REDUCE, CollectiveKind.ALL_REDUCE, groups, totalBytes, algorithm, label, waits);
    }

    public int allToAll(RankGroups groups, long totalBytes, String algorithm, String label, int... waits) {
        return collective(Stream.REDUCE, CollectiveKind.ALL_TO_ALL, groups, totalBytes, algorithm, label, waits);
    }

    /** A collective; a copy in a group of one. */
    int collective(
            Stream stream,
            CollectiveKind kind,
            RankGroups groups,
            long totalBytes,
            String algorithm,
            String label,
            int... waits) {
        if (groups.size() == 1) {
            return add(new Compute(stream, new Work(Kind.MEMORY_COPY, 2 * totalBytes), label), waits);
        }
        return add(new Collective(stream, kind, groups, totalBytes, algorithm, label), waits);
    }

    /** A collective that waits for all compute before it, and that all compute after it waits for. */
    void exchange(Stream stream, CollectiveKind kind, RankGroups groups, long totalBytes, String label, int... waits) {
        int at = stageIndex();
        int[] before = with(with(waits, awaited[at]), lastCompute[at]);
        awaited[at] = new int[] {collective(stream, kind, groups, totalBytes, "auto", label, before)};
    }

    /** A copy within GPU memory. */
    public int copy(Stream stream, long bytesReadAndWritten, String label, int... waits) {
        return add(new Compute(stream, new Work(Kind.MEMORY_COPY, bytesReadAndWritten), label), waits);
    }

    /** A copy between GPU and host memory. */
    public int hostCopy(Stream stream, Kind direction, long bytes, String label, int... waits) {
        return add(new Compute(stream, new Work(direction, bytes), label), waits);
    }

    /** The host process works, or waits. */
    public int host(long picoseconds, String label, int... waits) {
        return add(new Compute(Stream.HOST, new Work(Kind.HOST_TIME, picoseconds), label), waits);
    }

    public int compute(Kind kind, long amount, String label, int... waits) {
        return compute(new Work(kind, amount), label, waits);
    }

    int compute(Work work, String label, int... waits) {
        return add(new Compute(Stream.COMPUTE, work, label), waits);
    }

    /** Computes beside what was exchanged last, which stays awaited for the compute after this. */
    int computeBeside(Work work, String label, int... waits) {
        int at = stageIndex();
        lastCompute[at] = plan.add(shared(new Compute(Stream.COMPUTE, work, label)), waits);
        return lastCompute[at];
    }

    private int add(Operation operation, int... waits) {
        if (operation.stream() != Stream.COMPUTE) {
            return plan.add(shared(operation), waits);
        }
        int at = stageIndex();
        lastCompute[at] = plan.add(shared(operation), with(waits, awaited[at]));
        awaited[at] = new int[0];
        return lastCompute[at];
    }

    /** The first operation that was written like this. */
    private Operation shared(Operation operation) {
        return shared.computeIfAbsent(operation, first -> first);
    }

    /** The same waits and more. */
    public static int[] with(int[] waits, int... more) {
        int[] all = new int[waits.length + more.length];
        System.arraycopy(waits, 0, all, 0, waits.length);
        System.arraycopy(more, 0, all, waits.length, more.length);
        return all;
    }
}
