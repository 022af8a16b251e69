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
 * Writes the building blocks of every strategy's training step: a layer's forward with its saved activations, its backward with recomputation, a
 * gather, a reduction, a copy, the update.
 *
 * <p>It knows the model's arithmetic and memory ({@link MicroBatchMemory}), but not which rank holds which shard: that is up to the strategy.
 */
public final class StepWriter {
    /** Memory of a communicator, 0.54 to 0.69 GB on A100 (github.com/NVIDIA/nccl issue 964, 2023-08), as in {@code runtime_memory}. */
    private static final long COMMUNICATOR_BYTES = 600_000_000L;

    /**
     * Algorithm of scalar all-reduces. NCCL would use a tree, which ends some milliseconds per step sooner. But every node has its own place in a
     * tree, so no node could represent another.
     */
    public static final String SCALAR_ALGORITHM = "ring";

    /** Owners of memory allocated and freed within a step. */
    public static final Set<MemoryOwner> ALLOCATED_IN_STEP = Collections.unmodifiableSet(EnumSet.of(
            MemoryOwner.GATHERED_UNITS, MemoryOwner.ACTIVATIONS, MemoryOwner.WORKING_SET, MemoryOwner.BUCKETS));

    /** Index of no operation; plans ignore it among waits. */
    public static final int NONE = -1;

    private final TrainingJob job;
    private final FrameworkProfile profile;
    private final MicroBatchMemory memory;
    private final PipelinePartition partition;
    private final StepPlan.Builder plan = StepPlan.builder();
    private final Map<Operation, Operation> shared = new HashMap<>();
    /** Offload by stage; empty if activations stay on the GPU. */
    private final List<ActivationOffload> offloads = new ArrayList<>();

    /** Pipeline stage being written, or {@link StepPlan#EVERY_STAGE}. */
    private int stage = StepPlan.EVERY_STAGE;
    /** Last operation of the compute stream, by stage. */
    private final int[] lastCompute;
    /** Operations that the next compute must wait for, by stage: a tensor-parallel collective, or a transfer from another stage. */
    private final int[][] awaited;

    /** Owners whose memory is allocated piece by piece. */
    private final Set<MemoryOwner> fragmented;
    /** Their current bytes and peak by stage, without memory that is freed last in, first out. */
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
     * Writes a plan, and adds fragmentation as a share of the memory that it allocates and frees. Saved tensors of layers that are neither recomputed
     * nor offloaded are freed last in, first out, and reuse the blocks of the previous step. Memory is fragmented by recomputation, offloading and
     * sharding (GMLake, arXiv:2401.08156, abstract).
     *
     * @param parameters settings with {@code runtime_memory}, {@code fragmentation} and those of activation offload
     * @param fragmented owners whose memory is allocated piece by piece
     * @param story callback that writes the strategy's step
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

    /** Returns the buffers of a rank's communicators other than its data-parallel group's: one for each other group. */
    private static long communicatorBytes(ModelParallel parallel) {
        int groups =
                (parallel.tensor() > 1 ? 1 : 0) + (parallel.context() > 1 ? 1 : 0) + (parallel.stages() > 1 ? 1 : 0);
        return groups * COMMUNICATOR_BYTES;
    }

    /**
     * Returns the memory reserved for gradients while there are none. They come from collectives on a separate stream, and the allocator does not
     * share blocks between streams (c10/cuda/CUDACachingAllocator.cpp, BlockPool).
     */
    private static long idleBytes(StepPlan.Builder plan, int stage) {
        EnumSet<MemoryOwner> gradients = EnumSet.of(MemoryOwner.GRADIENTS);
        long apart = MemoryLedger.peakBytes(plan.memoryChanges(), gradients, stage)
                + MemoryLedger.peakBytes(plan.memoryChanges(), EnumSet.complementOf(gradients), stage);
        return apart - MemoryLedger.peakBytes(plan.memoryChanges(), EnumSet.allOf(MemoryOwner.class), stage);
    }

    // Stages, marks and memory.

    /** Sets the pipeline stage of the following operations. */
    public void onStage(int nextStage) {
        stage = job.parallel().stages() == 1 ? StepPlan.EVERY_STAGE : nextStage;
        plan.stage(stage);
    }

    /** Returns the layers of each model chunk. */
    public PipelinePartition partition() {
        return partition;
    }

    /** Returns the last compute operation of the stage being written. */
    int lastCompute() {
        return lastCompute[stageIndex()];
    }

    private int stageIndex() {
        return Math.max(0, stage);
    }

    /** Returns the activation offload of the stage being written. */
    public ActivationOffload offload() {
        return offloads.get(stageIndex());
    }

    public void beginMicroBatch() {
        plan.mark(1);
    }

    /** Ends the last micro-batch with a mark, so that it reads like the earlier ones. */
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

    /** Starts or stops keeping a layer's activations. */
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

    /** Writes the forward of one layer; keeps its activations, in host memory if the job says so. */
    public int forwardLayer(int layer, int... waits) {
        return forwardEntered(layer, with(waits, enterForward(layer)));
    }

    /** Enters a layer's forward before the host runs its modules; returns what the forward waits for. */
    public int enterForward(int layer) {
        return offload().enterForward(layer);
    }

    /** Writes the forward of a layer that has been entered. */
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

    /** Writes final norm, logits and loss; keeps the saved tensors for the backward. */
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

    /** Writes recomputation and backward of one layer; frees its activations. Returns the backward. */
    public int backwardLayer(int layer, int... waits) {
        return backwardRestored(layer, restoreLayer(layer, waits));
    }

    /** Enters a layer's backward before the host runs its modules; returns what the backward waits for. */
    public int enterBackward(int layer) {
        return offload().enterBackward(layer);
    }

    /** Writes recomputation and backward of a layer that has been entered. */
    public int backwardEntered(int layer, int... waits) {
        return backwardRestored(layer, restoreEntered(layer, waits));
    }

    /** Loads and recomputes what a layer has not kept. Returns what its backward waits for. */
    public int[] restoreLayer(int layer, int... waits) {
        return restoreEntered(layer, with(waits, enterBackward(layer)));
    }

    private int[] restoreEntered(int layer, int... waits) {
        allocate(MemoryOwner.WORKING_SET, memory.recomputedBytes(layer));
        return job.checkpointing(layer) == Checkpointing.NONE
                ? waits
                : new int[] {blocks.recompute(layer, "recompute layer", waits)};
    }

    /** Writes the backward of a restored layer; frees its activations. */
    public int backwardRestored(int layer, int... waits) {
        long temporary = memory.backwardTemporaryBytes(layer) + memory.dequantizedBytes(layer);
        allocate(MemoryOwner.WORKING_SET, temporary);
        int backward = blocks.backward(layer, "backward layer", waits);
        free(MemoryOwner.WORKING_SET, memory.recomputedBytes(layer) + temporary);
        keep(layer, -memory.keptBytes(layer));
        offload().leaveBackward(backward);
        return backward;
    }

    /** Writes the part of the head's backward that layers wait for; keeps the gradients of the logits. */
    public void inputGradientsOfHead() {
        long gradients = memory.logitBytes(profile.logitGradientBytes());
        allocate(MemoryOwner.WORKING_SET, gradients);
        compute(Work.of(segments.gradients(Section.HEAD).inputs()), "backward head inputs");
        blocks.leave("head gradient");
        free(MemoryOwner.WORKING_SET, gradients + memory.logitBytes(profile.keptLogitBytes()));
        allocate(MemoryOwner.WORKING_SET, memory.resultGradientBytes(Section.HEAD));
    }

    /** Writes the rest of the head's backward. */
    public int weightGradientsOfHead() {
        int computed = weightGradients(Section.HEAD, "backward head weights");
        free(MemoryOwner.WORKING_SET, memory.outputBytes() - memory.logitBytes(profile.keptLogitBytes()));
        return computed;
    }

    private int weightGradients(Section section, String label) {
        int computed = compute(Work.of(segments.gradients(section).weights()), label);
        free(MemoryOwner.WORKING_SET, memory.resultGradientBytes(section));
        return computed;
    }

    /**
     * Writes recomputation and gradients of a layer's inputs. All saved tensors stay until the gradients of weights are computed, and so do the gradients
     * of the results of its GEMMs (torch/distributed/pipelining/_backward.py of PyTorch 2.6, stage_backward_input: retain_graph, param_groups).
     */
    public void inputGradientsOfLayer(int layer, int... waits) {
        Section section = blocks.section(layer);
        int[] restored = restoreLayer(layer, waits);
        allocate(MemoryOwner.WORKING_SET, memory.backwardTemporaryBytes(layer));
        blocks.layer(segments.gradients(section).inputs(), "backward layer inputs", restored);
        free(MemoryOwner.WORKING_SET, memory.backwardTemporaryBytes(layer));
        allocate(MemoryOwner.WORKING_SET, memory.resultGradientBytes(section));
    }

    /** Writes the gradients of a layer's weights, and frees its activations. */
    public int weightGradientsOfLayer(int layer) {
        int computed = weightGradients(blocks.section(layer), "backward layer weights");
        free(MemoryOwner.WORKING_SET, memory.recomputedBytes(layer));
        keep(layer, -memory.keptBytes(layer));
        return computed;
    }

    /** Ends the backward; adds the gradient of a tied embedding to the head's. */
    public int backwardEmbedding(int... waits) {
        blocks.enter("embedding gradient", memory.hiddenBytes(), waits);
        int backward = compute(Work.of(segments.backward(Section.EMBEDDING)), "backward embedding", waits);
        free(MemoryOwner.BUCKETS, memory.tiedGradientBytes());
        return backward;
    }

    // Update.

    /**
     * Writes the orthogonalization of momentum, if the optimizer has one; returns what the update waits for. Every rank takes an equal share of the
     * matrices: an all-to-all brings their shards in BF16, another one returns the updates (microsoft/dion at 0a059a40,
     * dion/megabatch_base.py:793 and 816). Unsharded, every rank does all matrices (torch.optim.Muon).
     */
    public int orthogonalize(RankGroups shards, long elements, int ready) {
        if (!job.execution().optimizer().orthogonalizes()) {
            return ready;
        }
        long bytes = shards.size() == 1 ? 0 : Precision.BF16.bytes() * ShardGroups.padded(elements, shards.size());
        allocate(MemoryOwner.WORKING_SET, 2 * bytes);
        int whole = bytes == 0 ? ready : allToAll(shards, bytes, "auto", "gather matrices of momentum", ready);
        int computed = compute(Kind.ORTHOGONALIZATION, elements, "orthogonalize momentum", whole);
        int updates = bytes == 0 ? computed : allToAll(shards, bytes, "auto", "return updates of matrices", computed);
        free(MemoryOwner.WORKING_SET, 2 * bytes);
        return updates;
    }

    /** Writes the optimizer update of a shard, whose cost follows from its bytes, and the framework's temporaries. */
    public int updateShard(long elements, int... waits) {
        long in32Bits = elements * job.precision().stateBytes() / Precision.FP32.bytes();
        long temporary = profile.optimizerTemporaryBytes() * in32Bits;
        allocate(MemoryOwner.WORKING_SET, temporary);
        int updated = compute(Kind.OPTIMIZER_STEP, in32Bits, "optimizer step", waits);
        free(MemoryOwner.WORKING_SET, temporary);
        return updated;
    }

    // Pipeline parallelism.

    /** Returns the operation after which all compute written for the stage is done, other ranks' contributions included. */
    public int result() {
        int[] waits = awaited[stageIndex()];
        return waits.length == 0 ? lastCompute() : waits[waits.length - 1];
    }

    /** Returns the bytes of a micro-batch that a rank holds at the boundary of two model chunks. */
    public long boundaryBytes() {
        return job.parallel().sequence() ? memory.hiddenBytes() / tensor.size() : memory.hiddenBytes();
    }

    /**
     * Sends activations, or their gradients, to the stage being written. The receiver posts its receive when it is idle, as in Megatron-LM and
     * DeepSpeed, and continues when they have arrived. Each rank of a tensor-parallel group sends only its shard, and the receivers gather the shards
     * (scatter_gather_tensors_in_pipeline; partitioned activations); or each sends everything.
     *
     * @param from sending stage
     * @param sent operation of that stage whose result is sent
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

    /** All-reduces the gradients of a tied embedding between the first and the last stage. */
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
     * All-reduces a number over the ranks of one model replica, within each stage and then across stages. Stages wait until the first one has done
     * its last backward, so that the wait counts as pipeline time.
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

    /** Receives a forward's input, then writes it and a backward: one computes while the other exchanges tokens with experts. */
    public void alternate(Runnable receive, Runnable backward, Runnable forward) {
        int at = stageIndex();
        receive.run();
        int[] received = awaited[at];
        awaited[at] = new int[0];
        int before = lastCompute[at];
        plan.alternate(backward, () -> {
            awaited[at] = received;
            lastCompute[at] = before;
            forward.run();
        });
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

    /** Writes a collective; a copy in a group of one. */
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

    /** Writes a blocking collective: it waits for all earlier compute, and all later compute waits for it. */
    void exchange(Stream stream, CollectiveKind kind, RankGroups groups, long totalBytes, String label, int... waits) {
        exchange(List.of(new Collective(stream, kind, groups, totalBytes, "auto", label)), waits);
    }

    /** Writes blocking collectives that run at the same time. */
    void exchange(List<Collective> parts, int... waits) {
        int at = stageIndex();
        int[] before = with(with(waits, awaited[at]), lastCompute[at]);
        awaited[at] = parts.stream().mapToInt(part -> add(part, before)).toArray();
    }

    /** Writes a copy within GPU memory. */
    public int copy(Stream stream, long bytesReadAndWritten, String label, int... waits) {
        return add(new Compute(stream, new Work(Kind.MEMORY_COPY, bytesReadAndWritten), label), waits);
    }

    /** Writes a copy between GPU and host memory. */
    public int hostCopy(Stream stream, Kind direction, long bytes, String label, int... waits) {
        return add(new Compute(stream, new Work(direction, bytes), label), waits);
    }

    /** Writes work or a wait of the host process. */
    public int host(long picoseconds, String label, int... waits) {
        return add(new Compute(Stream.HOST, new Work(Kind.HOST_TIME, picoseconds), label), waits);
    }

    public int compute(Kind kind, long amount, String label, int... waits) {
        return compute(new Work(kind, amount), label, waits);
    }

    int compute(Work work, String label, int... waits) {
        return add(new Compute(Stream.COMPUTE, work, label), waits);
    }

    /** Writes compute that overlaps with the last collective, for which later compute still waits. */
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

    /** Returns the first operation equal to this one. */
    private Operation shared(Operation operation) {
        return shared.computeIfAbsent(operation, first -> first);
    }

    /** Returns the waits plus further ones. */
    public static int[] with(int[] waits, int... more) {
        int[] all = new int[waits.length + more.length];
        System.arraycopy(waits, 0, all, 0, waits.length);
        System.arraycopy(more, 0, all, waits.length, more.length);
        return all;
    }
}
