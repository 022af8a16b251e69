package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.ModelParallel.Choice;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation.Collective;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.workload.Block;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Operator;
import io.shardsim.simulator.workload.Residual;
import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;
import io.shardsim.simulator.workload.Segments.Attending;
import io.shardsim.simulator.workload.Segments.Exchanging;
import io.shardsim.simulator.workload.Segments.Routing;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes layers that are split among ranks, block by block, with the communication around each block (tensor parallelism), within attention (context
 * parallelism), and around experts (expert parallelism).
 */
final class BlockWriter {
    private static final int[] NOTHING = {};

    private final StepWriter writer;
    private final TrainingJob job;
    private final ModelParallel parallel;
    private final FrameworkProfile profile;
    private final MicroBatchMemory memory;
    private final RankGroups tensor;
    private final RankGroups context;
    private final RankGroups experts;
    private final RankGroups slices;
    private final Segments segments;

    BlockWriter(StepWriter writer, TrainingJob job, FrameworkProfile profile, MicroBatchMemory memory) {
        this.writer = writer;
        this.job = job;
        this.parallel = job.parallel();
        this.profile = profile;
        this.memory = memory;
        this.tensor = ShardGroups.tensor(job);
        this.context = ShardGroups.context(job);
        this.experts = ShardGroups.experts(job);
        this.slices = ShardGroups.expertTensor(job);
        this.segments = new Segments(job.model().operators(), job.kept().recomputed());
    }

    int forward(int layer, String label, int... waits) {
        return layer(segments.forward(section(layer)), label, waits);
    }

    int backward(int layer, String label, int... waits) {
        return layer(segments.backward(section(layer)), label, waits);
    }

    /** Writes the recomputation of a layer. Selective recomputation communicates only around the blocks that it completes, such as all experts. */
    int recompute(int layer, String label, int... waits) {
        Segment again = segments.recompute(section(layer), job.checkpointing(), profile.recomputeStopsEarly());
        if (job.checkpointing() != Checkpointing.SELECTIVE) {
            return layer(again, label, waits);
        }
        if (again.pieces().isEmpty() || !segments.hasLast(again)) {
            return around(again, label, waits);
        }
        int computed = StepWriter.NONE;
        for (Segment block : segments.blocks(again)) {
            int[] before = computed == StepWriter.NONE ? waits : NOTHING;
            if (!block.pieces().isEmpty()) {
                computed = segments.hasLast(block)
                        ? blockForward(block, true, label, before)
                        : around(block, label, before);
            }
        }
        return computed;
    }

    Section section(int layer) {
        return Section.layer(job.model().kindOf(layer));
    }

    /** Writes a layer in one direction: at once, or block by block. */
    int layer(Segment layer, String label, int... waits) {
        if (tensor.size() == 1 && context.size() == 1 && !isRouted(layer)) {
            return writer.compute(Work.of(layer), label, waits);
        }
        List<Segment> blocks = segments.blocks(layer);
        if (layer.direction() == Direction.BACKWARD) {
            return blocksBackward(blocks, label, waits);
        }
        boolean again = layer.direction() != Direction.FORWARD;
        // A checkpoint of operators saves results after the communication that follows a block.
        boolean keepsSums = again && job.checkpointing() == Checkpointing.OPERATOR;
        int computed = StepWriter.NONE;
        for (int i = 0; i < blocks.size(); i++) {
            boolean skipped =
                    i == blocks.size() - 1 && again && profile.recomputeStopsEarly() && endsWithSum(blocks.get(i));
            computed = blockForward(blocks.get(i), !keepsSums && !skipped, label, i == 0 ? waits : NOTHING);
        }
        return computed;
    }

    /** Returns whether no operator of a block, such as a norm after it, uses the reduced result. */
    private boolean endsWithSum(Segment block) {
        List<Operator> operators = segments.home(block).operators();
        return operators.get(operators.size() - 1) instanceof Residual;
    }

    private int blocksBackward(List<Segment> blocks, String label, int... waits) {
        int computed = StepWriter.NONE;
        for (int i = 0; i < blocks.size(); i++) {
            computed = blockBackward(blocks.get(i), label, i == 0 ? waits : NOTHING);
        }
        return computed;
    }

    /** Writes the forward of a block, or its recomputation; GEMMs overlap with the communication if the job says so. */
    private int blockForward(Segment block, boolean leaves, String label, int... waits) {
        if (isRouted(block)) {
            return routed(block, "tokens", "shared expert", label, waits);
        }
        Block home = segments.home(block);
        boolean isLeft = leaves && home.isLeft();
        for (int i = 0; i < exchanges(block) && home.isEntered(); i++) {
            enter("layer", productBytes(home), waits);
        }
        if (!parallel.is(Choice.OVERLAPS_EXCHANGES)) {
            int computed = around(block, label, waits);
            if (isLeft) {
                leave("layer", memory.hiddenBytes(home));
            } else if (leaves && home.hasLoss()) {
                leaveHead();
            }
            return computed;
        }
        Exchanging cut = segments.exchanging(block);
        beside(cut.entry(), label, waits);
        around(cut.alone(), label, waits);
        if (isLeft) {
            leave("layer", memory.hiddenBytes(home));
        }
        return beside(cut.exit(), label);
    }

    /** Writes the backward of a block. The gradient of its input is reduced afterwards, or overlapped with the wgrad of its first weights. */
    private int blockBackward(Segment block, String label, int... waits) {
        if (isRouted(block)) {
            return routed(block, "gradients", "shared expert's gradient", label, waits);
        }
        Block home = segments.home(block);
        if (home.isLeft()) {
            enter("layer gradient", productBytes(home), waits);
        }
        boolean overlaps = parallel.is(Choice.OVERLAPS_EXCHANGES);
        boolean exits = overlaps || parallel.is(Choice.ASYNC_ALL_REDUCE);
        Exchanging cut = overlaps ? segments.exchanging(block) : segments.besideWeights(block);
        if (overlaps) {
            beside(cut.entry(), label, waits);
        }
        int computed = around(exits ? cut.alone() : block, label, waits);
        for (int i = 0; i < exchanges(block) && home.isEntered(); i++) {
            leave("layer gradient", memory.hiddenBytes(home));
        }
        return exits ? beside(cut.exit(), label) : computed;
    }

    private boolean isRouted(Segment segment) {
        return parallel.experts() > 1 && segments.hasExperts(segment);
    }

    /**
     * Writes a block whose experts are distributed. Each token's copies are sent to the ranks of its experts, and the results return; nothing
     * overlaps with either. Experts work on the rank's own shard of the sequence. The shared expert, whose weights are split, works on the whole
     * sequence.
     *
     * @param copies name of the transferred data
     * @param shared name of the shared expert's communication
     */
    private int routed(Segment block, String copies, String shared, String label, int... waits) {
        boolean exchangesShared = job.model().mixture().isShared();
        if (exchangesShared) {
            enter(shared, productBytes(segments.home(block)), waits);
        }
        Routing cut = segments.routing(block);
        Block home = segments.home(block);
        writer.compute(Work.of(cut.before()), label, waits);
        send(home, CollectiveKind.ALL_GATHER, copies + " to experts");
        writer.compute(Work.of(cut.experts()), label);
        send(home, CollectiveKind.REDUCE_SCATTER, copies + " from experts");
        int computed = writer.compute(Work.of(cut.after()), label);
        if (exchangesShared) {
            leave(shared);
        }
        return computed;
    }

    /**
     * Writes the communication before or after experts: all-to-alls of copies, or a collective of whole tensors.
     *
     * @param whole collective of whole tensors
     */
    private void send(Block home, CollectiveKind whole, String label) {
        switch (parallel.dispatcher()) {
            case ALLTOALL -> sendCopies(home, whole, label);
            case ALLGATHER -> {
                RankGroups holders = new RankGroups("experts", job.worldSize(), parallel.experts(), 1);
                exchange(List.of(ofWhole(whole, holders, memory.routedBytes(home), label)));
            }
            case DEEPEP -> exchange(onceToEachPlace(home, label));
        }
    }

    /** Writes an all-to-all; if experts are split, their ranks gather the copies that it brought, and reduce the results before it. */
    private void sendCopies(Block home, CollectiveKind whole, String label) {
        long bytes = memory.copiesBytes(home);
        List<Collective> hops = new ArrayList<>();
        hops.add(copies(Stream.EXPERT, experts, bytes, label));
        hops.add(whole == CollectiveKind.ALL_GATHER ? 1 : 0, ofWhole(whole, slices, bytes, label + ", split experts"));
        hops.stream().filter(hop -> hop.groups().size() > 1).forEach(hop -> exchange(List.of(hop)));
    }

    private static Collective ofWhole(CollectiveKind whole, RankGroups groups, long rankBytes, String label) {
        return new Collective(Stream.EXPERT, whole, groups, groups.size() * rankBytes, "auto", label);
    }

    private void exchange(List<Collective> parts) {
        long bytes = parts.get(parts.size() - 1).totalBytes();
        writer.allocate(MemoryOwner.WORKING_SET, bytes);
        writer.exchange(parts);
        writer.free(MemoryOwner.WORKING_SET, bytes);
    }

    /**
     * Returns two all-to-alls at the same time: one copy to each node with experts of a token, to the rank at the same position, and from there one
     * to each rank of the node with such experts. Parts of a few dozen tokens are passed on as they arrive (deepseek-ai/DeepEP @dd758caf, README).
     */
    private List<Collective> onceToEachPlace(Block home, String label) {
        int ofNode = Math.min(parallel.experts(), job.gpusPerNode());
        int nodes = parallel.experts() / ofNode;
        List<Collective> parts = new ArrayList<>();
        if (nodes > 1) {
            RankGroups across = new RankGroups("experts across nodes", job.worldSize(), nodes, ofNode);
            parts.add(copies(Stream.EXPERT, across, memory.copiesBytes(home, nodes), label + " across nodes"));
        }
        if (ofNode > 1) {
            RankGroups inside = new RankGroups("experts of a node", job.worldSize(), ofNode, 1);
            long bytes = memory.copiesBytes(home, parallel.experts());
            parts.add(
                    nodes > 1
                            ? copies(Stream.EXPERT_IN_NODE, inside, bytes, label + " inside nodes")
                            : copies(Stream.EXPERT, inside, bytes, label));
        }
        return parts;
    }

    private static Collective copies(Stream stream, RankGroups groups, long bytes, String label) {
        return new Collective(stream, CollectiveKind.ALL_TO_ALL, groups, bytes, "auto", label);
    }

    /** Writes compute that overlaps with the last communication, for which later compute still waits. */
    private int beside(Segment segment, String label, int... waits) {
        return writer.computeBeside(Work.of(segment), label, waits);
    }

    /** Writes a segment at once, or in steps around attention if samples are split and it contains attention. */
    private int around(Segment segment, String label, int... waits) {
        if (context.size() == 1 || !segments.hasAttention(segment)) {
            return writer.compute(Work.of(segment), label, waits);
        }
        Attending cut = segments.attending(segment);
        boolean backward = segment.direction() == Direction.BACKWARD;
        writer.compute(Work.of(cut.before()), label, waits);
        writer.allocate(MemoryOwner.WORKING_SET, memory.contextBytes(backward));
        int exchanged = attend(Work.of(cut.step()), label, backward);
        writer.free(MemoryOwner.WORKING_SET, memory.contextBytes(backward));
        return writer.compute(Work.of(cut.after()), label, exchanged);
    }

    /**
     * Writes attention in steps, each over the keys and values of one rank of a context-parallel group, and returns the last communication. Meanwhile
     * the ring passes on the next keys and values, or all of them are gathered during the first step. In backward their gradients follow one transfer
     * later, and the last ones after all steps (Ring Attention, arXiv:2310.01889; TransformerEngine v1.11, transformer_engine/pytorch/attention.py,
     * AttnFuncWithCPAndKVP2P; PyTorch 2.6, torch/distributed/tensor/experimental/_attention.py, _AllGatherRotater).
     */
    private int attend(Work each, String label, boolean backward) {
        boolean gathers = parallel.is(Choice.GATHERS_KEYS_VALUES);
        boolean inFp32 = parallel.is(Choice.SUMS_IN_FP32);
        int gradientParts = inFp32 ? Precision.FP32.bytes() / job.precision().bytes() : 1;
        int exchanged = StepWriter.NONE;
        // PyTorch also passes on the gradients of the last step.
        int exchanges = inFp32 && backward ? context.size() + 1 : context.size();
        for (int step = 0; step < exchanges; step++) {
            int arrived = exchanged;
            if (gathers && step == 0) {
                exchanged = writer.collective(
                        Stream.CONTEXT,
                        CollectiveKind.ALL_GATHER,
                        context,
                        context.size() * memory.keyValueBytes(),
                        "auto",
                        "gather keys and values",
                        writer.lastCompute());
            }
            int parts = (!gathers && step < context.size() - 1 ? 1 : 0) + (backward && step > 0 ? gradientParts : 0);
            if (parts > 0) {
                exchanged = writer.collective(
                        Stream.CONTEXT,
                        CollectiveKind.SEND_RECV,
                        context,
                        parts * memory.keyValueBytes(),
                        "auto",
                        gathers
                                ? "pass gradients on"
                                : backward ? "pass keys, values and gradients on" : "pass keys and values on",
                        backward || step == 0 ? writer.lastCompute() : StepWriter.NONE);
            }
            if (step < context.size()) {
                writer.compute(each, label, arrived);
            }
        }
        return exchanged;
    }

    /** Returns how often a block's input is communicated: once, or once per projection (query, key and value, or gate and up). */
    private int exchanges(Segment block) {
        return parallel.is(Choice.EXCHANGES_BY_PROJECTION) ? segments.projections(block) : 1;
    }

    /** Returns the bytes of the hidden state, or of its gradient, in the GEMM format: it is quantized before it is gathered. */
    private long productBytes(Block home) {
        return profile.eightBitProducts()
                ? (long) (memory.hiddenBytes(home) / job.precision().bytes() * profile.operandBytes())
                : memory.hiddenBytes(home);
    }

    /** Gathers the sequence before a block with split weights. */
    void enter(String what, long bytes, int... waits) {
        if (parallel.sequence()) {
            exchange(CollectiveKind.ALL_GATHER, bytes, "gather sequence of " + what, waits);
            placeSequence("place sequence of " + what);
        }
    }

    /** Reduces the partial sums of the tensor-parallel ranks. */
    void leave(String what) {
        leave(what, memory.hiddenBytes());
    }

    private void leave(String what, long bytes) {
        if (parallel.sequence()) {
            placeSequence("cut sequence of " + what);
            exchange(CollectiveKind.REDUCE_SCATTER, bytes, "scatter sequence of " + what);
        } else {
            exchange(CollectiveKind.ALL_REDUCE, bytes, "all-reduce " + what);
        }
    }

    /** Gathers the logits, or reduces each rank's share of the loss. */
    void leaveHead() {
        if (parallel.is(Choice.GATHERS_LOGITS)) {
            exchange(
                    CollectiveKind.ALL_GATHER, memory.logitBytes(job.precision().bytes()), "gather logits");
            return;
        }
        // The three sums of megatron/core/tensor_parallel/cross_entropy.py.
        for (String part : List.of("largest logit", "target logit", "sum of exponentials")) {
            exchange(CollectiveKind.ALL_REDUCE, 4 * job.lossTokens(), "all-reduce " + part);
        }
    }

    /** Copies shards of the sequence together before a collective: with batch-first tensors, those of several samples are not contiguous. */
    private void placeSequence(String label) {
        if (!parallel.is(Choice.SEQUENCE_FIRST) && job.microBatch() > 1) {
            writer.copy(Stream.COMPUTE, 2 * memory.hiddenBytes(), label);
        }
    }

    private void exchange(CollectiveKind kind, long bytes, String label, int... waits) {
        if (tensor.size() > 1) {
            writer.exchange(Stream.TENSOR, kind, tensor, bytes, label, waits);
        }
    }
}
