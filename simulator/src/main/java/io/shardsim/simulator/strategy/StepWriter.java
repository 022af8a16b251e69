package io.shardsim.simulator.strategy;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.strategy.Operation.Collective;
import io.shardsim.simulator.strategy.Operation.Compute;
import io.shardsim.simulator.strategy.Work.Kind;
import io.shardsim.simulator.strategy.Work.Part;
import io.shardsim.simulator.strategy.Work.Span;
import io.shardsim.simulator.workload.Checkpointing;
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
final class StepWriter {
    /**
     * Carries all-reduces of single numbers. NCCL would take a tree, which ends some milliseconds a step sooner; but in a tree every node
     * has a place of its own, and no node could stand for another for the sake of four bytes.
     */
    static final String SCALAR_ALGORITHM = "ring";

    /** Owners whose memory comes and goes within a step. */
    static final Set<MemoryOwner> ALLOCATED_IN_STEP = Collections.unmodifiableSet(EnumSet.of(
            MemoryOwner.GATHERED_UNITS, MemoryOwner.ACTIVATIONS, MemoryOwner.WORKING_SET, MemoryOwner.BUCKETS));

    /** No operation; plans ignore it among waits. */
    static final int NONE = -1;

    private final TrainingJob job;
    private final FrameworkProfile profile;
    private final MicroBatchMemory memory;
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

    private StepWriter(TrainingJob job, StrategyParameters settings) {
        this.job = job;
        this.profile = FrameworkProfile.named(job.kernels())
                .withElements(job.precision().bytes());
        this.memory = new MicroBatchMemory(job, profile);
        int stages = job.parallel().stages();
        for (int at = 0; at < stages; at++) {
            offloads.add(ActivationOffload.of(this, job, settings, memory.keptBytes(0)));
        }
        this.lastCompute = new int[stages];
        Arrays.fill(lastCompute, NONE);
        this.awaited = new int[stages][0];
        plan.stages(stages);
    }

    /**
     * Writes a plan, and adds the share of the memory it allocates and frees while it runs which the allocator loses to fragmentation. Where nothing is recomputed or offloaded, activations come and go as in the step before, last in first
     * out, and the allocator hands out the same blocks: what fragments memory is recomputation, offloading and sharding (GMLake,
     * arXiv:2401.08156, abstract).
     *
     * @param parameters settings with {@code runtime_memory}, {@code fragmentation} and what activation offload needs
     * @param fragmented owners whose memory goes through the allocator piece by piece
     * @param story the strategy's own part
     */
    static StepPlan write(
            TrainingJob job, StrategyParameters parameters, Set<MemoryOwner> fragmented, Consumer<StepWriter> story) {
        Set<MemoryOwner> broken = EnumSet.copyOf(fragmented);
        if (job.checkpointing() == Checkpointing.NONE && !job.activationOffload()) {
            broken.remove(MemoryOwner.ACTIVATIONS);
        }
        int stages = job.parallel().stages();
        StepWriter writer = new StepWriter(job, parameters);
        writer.allocate(MemoryOwner.RUNTIME, parameters.whole("runtime_memory"));
        story.accept(writer);
        for (int stage = 0; stage < stages; stage++) {
            long peakBytes = MemoryLedger.peakBytes(writer.plan.memoryChanges(), broken, stage);
            long lostBytes = (long) (parameters.fraction("fragmentation") * peakBytes);
            writer.onStage(stage);
            writer.plan.memoryThroughout(MemoryOwner.FRAGMENTATION, lostBytes + idleBytes(writer.plan, stage));
        }
        return writer.plan.build();
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
    void onStage(int nextStage) {
        stage = job.parallel().stages() == 1 ? StepPlan.EVERY_STAGE : nextStage;
        plan.stage(stage);
    }

    /** The last operation of the compute stream, of the stage that is being written. */
    int lastCompute() {
        return lastCompute[stageIndex()];
    }

    private int stageIndex() {
        return Math.max(0, stage);
    }

    /** Offloaded activations of the stage that is being written. */
    ActivationOffload offload() {
        return offloads.get(stageIndex());
    }

    void beginMicroBatch() {
        plan.mark(1);
    }

    /** Where the last micro-batch ends, so that it reads like those before it. */
    void endMicroBatches() {
        plan.mark(1);
    }

    void beginLayer() {
        plan.mark(0);
    }

    void allocate(MemoryOwner owner, long bytes) {
        plan.memory(owner, bytes);
    }

    void free(MemoryOwner owner, long bytes) {
        plan.memory(owner, -bytes);
    }

    // Forward.

    int forwardEmbedding(int... waits) {
        int computed = compute(Kind.EMBEDDING_FORWARD, 1, "forward embedding", waits);
        leaveBlock("embedding");
        return computed;
    }

    /** Forward of one layer; keeps its activations, in host memory if the job says so. */
    int forwardLayer(int layer, int... waits) {
        return forwardEntered(layer, with(waits, enterForward(layer)));
    }

    /** What comes before the host goes through the modules of a layer; returns what the layer's forward waits for. */
    int enterForward(int layer) {
        return offload().enterForward(layer);
    }

    /** Forward of a layer that has been entered. */
    int forwardEntered(int layer, int... waits) {
        long temporary = job.checkpointing(layer).startsFromInput() ? memory.backwardTemporaryBytes() : 0;
        allocate(MemoryOwner.ACTIVATIONS, memory.keptBytes(layer));
        allocate(MemoryOwner.WORKING_SET, temporary);
        int forward = layer(Kind.LAYER_FORWARD, "forward layer", waits);
        free(MemoryOwner.WORKING_SET, temporary);
        offload().leaveForward(layer, forward);
        return forward;
    }

    /** Final norm, logits and loss; keeps what its backward needs. */
    int forwardHead(int... waits) {
        if (job.parallel().stages() == 1) {
            offload().endForward();
        }
        allocate(MemoryOwner.WORKING_SET, memory.outputBytes());
        enterBlock("head", memory.hiddenBytes(), waits);
        long pieceBytes = memory.lossPieceBytes();
        allocate(MemoryOwner.WORKING_SET, pieceBytes);
        int computed = compute(Kind.HEAD_FORWARD, 1, "forward head", waits);
        free(MemoryOwner.WORKING_SET, pieceBytes);
        if (job.parallel().gathersLogits()) {
            exchange(
                    CollectiveKind.ALL_GATHER, memory.logitBytes(job.precision().bytes()), "gather logits");
        } else {
            reduceLoss();
        }
        return computed;
    }

    // Backward.

    int backwardHead(int... waits) {
        long gradients = memory.logitBytes(profile.logitGradientBytes());
        allocate(MemoryOwner.WORKING_SET, gradients);
        allocate(MemoryOwner.BUCKETS, memory.tiedGradientBytes());
        int backward = compute(Kind.HEAD_BACKWARD, 1, "backward head", waits);
        leaveBlock("head gradient");
        free(MemoryOwner.WORKING_SET, gradients + memory.outputBytes());
        return backward;
    }

    /** Recomputation and backward of one layer; frees its activations. Returns the backward. */
    int backwardLayer(int layer, int... waits) {
        return backwardRestored(layer, restoreLayer(layer, waits));
    }

    /** What comes before the host goes through the modules of a layer again; returns what the layer's backward waits for. */
    int enterBackward(int layer) {
        return offload().enterBackward(layer);
    }

    /** Recomputation and backward of a layer that has been entered. */
    int backwardEntered(int layer, int... waits) {
        return backwardRestored(layer, restoreEntered(layer, waits));
    }

    /** Loads and computes again what a layer has not kept. Returns what its backward waits for. */
    int[] restoreLayer(int layer, int... waits) {
        return restoreEntered(layer, with(waits, enterBackward(layer)));
    }

    private int[] restoreEntered(int layer, int... waits) {
        allocate(MemoryOwner.WORKING_SET, memory.recomputedBytes(layer));
        return job.checkpointing(layer) == Checkpointing.NONE ? waits : new int[] {recompute(waits)};
    }

    /** Backward of a restored layer; frees its activations. */
    int backwardRestored(int layer, int... waits) {
        allocate(MemoryOwner.WORKING_SET, memory.backwardTemporaryBytes());
        int backward = layer(Kind.LAYER_BACKWARD, "backward layer", waits);
        free(MemoryOwner.WORKING_SET, memory.recomputedBytes(layer) + memory.backwardTemporaryBytes());
        free(MemoryOwner.ACTIVATIONS, memory.keptBytes(layer));
        offload().leaveBackward(backward);
        return backward;
    }

    /** Ends the backward; the gradient of a tied embedding joins the one that the head has left. */
    int backwardEmbedding(int... waits) {
        enterBlock("embedding gradient", memory.hiddenBytes(), waits);
        int backward = compute(Kind.EMBEDDING_BACKWARD, 1, "backward embedding", waits);
        free(MemoryOwner.BUCKETS, memory.tiedGradientBytes());
        return backward;
    }

    // The update.

    /** Adam over a shard of what is updated, which costs by the bytes it has, and what the framework's own allocates meanwhile. */
    int updateShard(long elements, int... waits) {
        long in32Bits = elements * job.precision().stateBytes() / Precision.FP32.bytes();
        long temporary = profile.optimizerTemporaryBytes() * in32Bits;
        allocate(MemoryOwner.WORKING_SET, temporary);
        int updated = compute(Kind.OPTIMIZER_STEP, in32Bits, "optimizer step", waits);
        free(MemoryOwner.WORKING_SET, temporary);
        return updated;
    }

    // Tensor and context parallelism.

    private int tensor() {
        return job.parallel().tensor();
    }

    /** A layer in one direction: at once, or block by block with what a group exchanges around each or within attention. */
    private int layer(Kind kind, String label, int... waits) {
        if (tensor() == 1 && job.parallel().context() == 1) {
            return compute(kind, 1, label, waits);
        }
        if (kind == Kind.LAYER_BACKWARD) {
            backwardBlock(label, Part.FEED_FORWARD, Part.FEED_FORWARD_INPUT, Part.FEED_FORWARD_WEIGHTS, waits);
            return backwardBlock(label, Part.ATTENTION, Part.ATTENTION_INPUT, Part.ATTENTION_WEIGHTS);
        }
        boolean again = kind == Kind.LAYER_RECOMPUTE;
        // What an operator's checkpoint keeps includes what has been exchanged after a block.
        boolean keepsSums = again && job.checkpointing() == Checkpointing.OPERATOR;
        forwardBlock(kind, Part.ATTENTION, !keepsSums, label, waits);
        return forwardBlock(kind, Part.FEED_FORWARD, !keepsSums && !(again && profile.recomputeStopsEarly()), label);
    }

    /** Forward of a block, or what is computed again of it; with products beside what is exchanged, if the job has them so. */
    private int forwardBlock(Kind kind, Part block, boolean leaves, String label, int... waits) {
        for (int i = 0; i < exchanges(block); i++) {
            enterBlock("layer", productBytes(), waits);
        }
        boolean overlaps = job.parallel().overlapsExchanges();
        if (overlaps) {
            computeBeside(kind, block.entry(), label, waits);
        }
        int computed = block(kind, overlaps ? block.middle() : block, label, waits);
        if (leaves) {
            leaveBlock("layer");
        }
        return overlaps ? computeBeside(kind, block.exit(), label) : computed;
    }

    /** Backward of a block; the gradient of its input is added up afterwards, or beside the product that makes those of its first weights. */
    private int backwardBlock(String label, Part whole, Part input, Part weights, int... waits) {
        enterBlock("layer gradient", productBytes(), waits);
        boolean overlaps = job.parallel().overlapsExchanges();
        if (overlaps) {
            computeBeside(Kind.LAYER_BACKWARD, whole.entry(), label, waits);
        }
        boolean beside = overlaps || job.parallel().asyncAllReduce();
        Part alone = overlaps ? whole.middle() : beside ? input : whole;
        int computed = block(Kind.LAYER_BACKWARD, alone, label, waits);
        for (int i = 0; i < exchanges(whole); i++) {
            leaveBlock("layer gradient");
        }
        return beside ? computeBeside(Kind.LAYER_BACKWARD, overlaps ? whole.exit() : weights, label) : computed;
    }

    /** Computes beside what was exchanged last, which stays awaited for the compute after this. */
    private int computeBeside(Kind kind, Part part, String label, int... waits) {
        int at = stageIndex();
        lastCompute[at] =
                plan.add(shared(new Compute(Stream.COMPUTE, new Work(kind, part, Span.ALL, 1), label)), waits);
        return lastCompute[at];
    }

    /** Selective recomputation computes attention again, which no other rank of a tensor-parallel group has a part in. */
    private int recompute(int... waits) {
        String label = "recompute layer";
        return job.checkpointing() == Checkpointing.SELECTIVE
                ? block(Kind.LAYER_RECOMPUTE, Part.WHOLE, label, waits)
                : layer(Kind.LAYER_RECOMPUTE, label, waits);
    }

    /** A block, or a part of it: at once, or around attention in steps, where the sequence is split and there is attention in it. */
    private int block(Kind kind, Part part, String label, int... waits) {
        boolean attends = !part.isFeedForward()
                && !(kind == Kind.LAYER_RECOMPUTE && job.checkpointing() == Checkpointing.OPERATOR);
        if (job.parallel().context() == 1 || !attends) {
            return compute(kind, part, Span.ALL, 1, label, waits);
        }
        compute(kind, part, Span.BEFORE_ATTENTION, 1, label, waits);
        boolean backward = kind == Kind.LAYER_BACKWARD;
        allocate(MemoryOwner.WORKING_SET, memory.contextBytes(backward));
        int exchanged = attend(kind, part, label, backward);
        free(MemoryOwner.WORKING_SET, memory.contextBytes(backward));
        return compute(kind, part, Span.AFTER_ATTENTION, 1, label, exchanged);
    }

    /**
     * Attention over the keys and values of one rank of a context-parallel group after the other. Those of the next come meanwhile, each rank passing on
     * what it has; in backward the gradients of those before come one exchange later, and the last of them when all steps are done (Ring Attention,
     * arXiv:2310.01889; TransformerEngine v1.11, transformer_engine/pytorch/attention.py, AttnFuncWithCPAndKVP2P). Returns the last exchange.
     */
    private int attend(Kind kind, Part part, String label, boolean backward) {
        int steps = job.parallel().context();
        RankGroups group = new RankGroups("context", job.worldSize(), steps, tensor());
        int exchanged = NONE;
        for (int step = 0; step < steps; step++) {
            int arrived = exchanged;
            boolean keysGo = step < steps - 1;
            boolean gradientsGo = backward && step > 0;
            if (keysGo || gradientsGo) {
                long parts = (keysGo ? 1 : 0) + (gradientsGo ? 1 : 0);
                exchanged = collective(
                        Stream.CONTEXT,
                        CollectiveKind.SEND_RECV,
                        group,
                        parts * memory.keyValueBytes(),
                        "auto",
                        backward ? "pass keys, values and gradients on" : "pass keys and values on",
                        backward || step == 0 ? lastCompute() : NONE);
            }
            compute(kind, part, Span.ATTENTION_STEP, 1, label, arrived);
        }
        return exchanged;
    }

    /** How often a block's input is exchanged: query, key and value, or gate and up projection, may each do so. */
    private int exchanges(Part block) {
        if (!job.parallel().exchangesByProjection()) {
            return 1;
        }
        return block == Part.ATTENTION ? 3 : job.model().gatedFfn() ? 2 : 1;
    }

    /** Brings the parts of the sequence together before a block whose weights are split. */
    private void enterBlock(String what, long bytes, int... waits) {
        if (job.parallel().sequence()) {
            exchange(CollectiveKind.ALL_GATHER, bytes, "gather sequence of " + what, waits);
            placeSequence("place sequence of " + what);
        }
    }

    /** The hidden state, or its gradient, as a layer's products take it: rounded before it is gathered. */
    private long productBytes() {
        return profile.eightBitProducts()
                ? memory.hiddenBytes() / job.precision().bytes()
                : memory.hiddenBytes();
    }

    /** Adds up what the ranks of the group have computed, each with its part of the weights. */
    private void leaveBlock(String what) {
        if (job.parallel().sequence()) {
            placeSequence("cut sequence of " + what);
            exchange(CollectiveKind.REDUCE_SCATTER, memory.hiddenBytes(), "scatter sequence of " + what);
        } else {
            exchange(CollectiveKind.ALL_REDUCE, memory.hiddenBytes(), "all-reduce " + what);
        }
    }

    /** Parts of the sequence of several samples lie apart where samples come first, and a collective wants them together. */
    private void placeSequence(String label) {
        if (!job.parallel().sequenceFirst() && job.microBatch() > 1) {
            copy(Stream.COMPUTE, 2 * memory.hiddenBytes(), label);
        }
    }

    /** Largest logit, sum of exponentials and the target's logit of each token (megatron/core/tensor_parallel/cross_entropy.py). */
    private void reduceLoss() {
        for (String part : List.of("largest logit", "target logit", "sum of exponentials")) {
            exchange(CollectiveKind.ALL_REDUCE, 4 * job.microBatchTokens(), "all-reduce " + part);
        }
    }

    /** A collective of the tensor-parallel group: it waits for all compute before it, all compute after it waits for it. */
    private void exchange(CollectiveKind kind, long bytes, String label, int... waits) {
        if (tensor() == 1) {
            return;
        }
        int at = stageIndex();
        int done = collective(
                Stream.TENSOR,
                kind,
                new RankGroups("tensor", job.worldSize(), tensor(), 1),
                bytes,
                "auto",
                label,
                with(with(waits, awaited[at]), lastCompute[at]));
        awaited[at] = new int[] {done};
    }

    // Pipeline parallelism.

    /** The operation after which all that has been written for the stage is computed, what other ranks add to it included. */
    int result() {
        int[] waits = awaited[stageIndex()];
        return waits.length == 0 ? lastCompute() : waits[waits.length - 1];
    }

    /**
     * Passes activations on, or their gradients back, to the stage that is being written. The receiver asks for them when it has nothing else to
     * do, as Megatron-LM and DeepSpeed do, and computes on when they are there. Each rank of a tensor-parallel group sends its part alone, and
     * the receivers gather the parts (scatter_gather_tensors_in_pipeline; partitioned activations); or each sends all there is.
     *
     * @param from stage that sends
     * @param sent operation of that stage after which there is something to send
     */
    void receive(boolean forward, int from, int sent) {
        int at = stage;
        int low = Math.min(from, at);
        int high = Math.max(from, at);
        Stream stream = lane(forward, from);
        plan.between(low, high);
        boolean sequence = job.parallel().sequence();
        boolean gathers = tensor() > 1 && !sequence && job.parallel().scatterGather();
        int received = collective(
                stream,
                from < at ? CollectiveKind.BROADCAST : CollectiveKind.BROADCAST_FROM_LAST,
                RankGroups.between(low, high, job.stageRanks(), job.worldSize()),
                gathers || sequence ? memory.hiddenBytes() / tensor() : memory.hiddenBytes(),
                "auto",
                forward ? "pass activations on" : "pass gradients back",
                with(awaited[at], sent, lastCompute[at]));
        plan.stage(at);
        if (gathers) {
            RankGroups group = new RankGroups("tensor", job.worldSize(), tensor(), 1);
            received = collective(
                    stream,
                    CollectiveKind.ALL_GATHER,
                    group,
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
    int tieEmbeddings(long bytes, int... waits) {
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

    /** Adds up a number over the ranks that hold one copy of the model, within each stage and then over the stages. */
    int allReduceOverModel(long bytes, String label, int... waits) {
        plan.stage(StepPlan.EVERY_STAGE);
        int done = NONE;
        int[] before = waits;
        if (tensor() > 1) {
            RankGroups group = new RankGroups("tensor", job.worldSize(), tensor(), 1);
            done = allReduce(group, bytes, SCALAR_ALGORITHM, label, before);
            before = new int[] {done};
        }
        if (job.parallel().stages() > 1) {
            RankGroups group =
                    new RankGroups("pipeline", job.worldSize(), job.parallel().stages(), job.stageRanks());
            done = allReduce(group, bytes, SCALAR_ALGORITHM, label, before);
        }
        plan.stage(stage);
        return done;
    }

    // Communication, copies, host.

    int gather(RankGroups groups, long totalBytes, String algorithm, String label, int... waits) {
        return collective(Stream.GATHER, CollectiveKind.ALL_GATHER, groups, totalBytes, algorithm, label, waits);
    }

    int reduceScatter(RankGroups groups, long totalBytes, String algorithm, String label, int... waits) {
        return collective(Stream.REDUCE, CollectiveKind.REDUCE_SCATTER, groups, totalBytes, algorithm, label, waits);
    }

    int allReduce(RankGroups groups, long totalBytes, String algorithm, String label, int... waits) {
        return collective(Stream.REDUCE, CollectiveKind.ALL_REDUCE, groups, totalBytes, algorithm, label, waits);
    }

    int allToAll(RankGroups groups, long totalBytes, String algorithm, String label, int... waits) {
        return collective(Stream.REDUCE, CollectiveKind.ALL_TO_ALL, groups, totalBytes, algorithm, label, waits);
    }

    /** A collective; a copy in a group of one. */
    private int collective(
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

    /** A copy within GPU memory. */
    int copy(Stream stream, long bytesReadAndWritten, String label, int... waits) {
        return add(new Compute(stream, new Work(Kind.MEMORY_COPY, bytesReadAndWritten), label), waits);
    }

    /** A copy between GPU and host memory. */
    int hostCopy(Stream stream, Kind direction, long bytes, String label, int... waits) {
        return add(new Compute(stream, new Work(direction, bytes), label), waits);
    }

    /** The host process works, or waits. */
    int host(long picoseconds, String label, int... waits) {
        return add(new Compute(Stream.HOST, new Work(Kind.HOST_TIME, picoseconds), label), waits);
    }

    int compute(Kind kind, long amount, String label, int... waits) {
        return compute(kind, Part.WHOLE, Span.ALL, amount, label, waits);
    }

    private int compute(Kind kind, Part part, Span span, long amount, String label, int... waits) {
        return add(new Compute(Stream.COMPUTE, new Work(kind, part, span, amount), label), waits);
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
    static int[] with(int[] waits, int... more) {
        int[] all = new int[waits.length + more.length];
        System.arraycopy(waits, 0, all, 0, waits.length);
        System.arraycopy(more, 0, all, waits.length, more.length);
        return all;
    }
}
