package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.ModelParallel.Choice;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.Work.Block;
import io.shardsim.simulator.plan.Work.Kind;
import io.shardsim.simulator.plan.Work.Span;
import io.shardsim.simulator.plan.Work.Stretch;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Operator;
import io.shardsim.simulator.workload.Transformer;
import java.util.List;

/**
 * Writes layers whose weights or samples are split among ranks, block by block, with what these exchange around each block (tensor parallelism) and
 * within attention (context parallelism).
 */
final class BlockWriter {
    private final StepWriter writer;
    private final TrainingJob job;
    private final ModelParallel parallel;
    private final FrameworkProfile profile;
    private final MicroBatchMemory memory;
    private final RankGroups tensor;
    private final RankGroups context;

    BlockWriter(StepWriter writer, TrainingJob job, FrameworkProfile profile, MicroBatchMemory memory) {
        this.writer = writer;
        this.job = job;
        this.parallel = job.parallel();
        this.profile = profile;
        this.memory = memory;
        this.tensor = ShardGroups.tensor(job);
        this.context = ShardGroups.context(job);
    }

    /** A layer in one direction: at once, or block by block. */
    int layer(Kind kind, String label, int... waits) {
        if (tensor.size() == 1 && context.size() == 1) {
            return writer.compute(kind, 1, label, waits);
        }
        if (kind == Kind.LAYER_BACKWARD) {
            backward(Block.FEED_FORWARD, label, waits);
            return backward(Block.ATTENTION, label);
        }
        boolean again = kind == Kind.LAYER_RECOMPUTE;
        // What an operator's checkpoint keeps includes what has been exchanged after a block.
        boolean keepsSums = again && job.checkpointing() == Checkpointing.OPERATOR;
        forward(kind, Block.ATTENTION, !keepsSums, label, waits);
        return forward(kind, Block.FEED_FORWARD, !keepsSums && !(again && profile.recomputeStopsEarly()), label);
    }

    /** What is computed again of a layer; of selective recomputation, which is attention alone, no other rank of a tensor-parallel group has a part. */
    int recompute(String label, int... waits) {
        return job.checkpointing() == Checkpointing.SELECTIVE
                ? around(Kind.LAYER_RECOMPUTE, Block.WHOLE, Stretch.ALL, label, waits)
                : layer(Kind.LAYER_RECOMPUTE, label, waits);
    }

    /** Forward of a block, or what is computed again of it; with products beside what is exchanged, if the job has them so. */
    private int forward(Kind kind, Block block, boolean leaves, String label, int... waits) {
        for (int i = 0; i < exchanges(block); i++) {
            enter("layer", productBytes(), waits);
        }
        boolean overlaps = parallel.is(Choice.OVERLAPS_EXCHANGES);
        if (overlaps) {
            beside(kind, block, Stretch.ENTRY, label, waits);
        }
        int computed = around(kind, block, overlaps ? Stretch.MIDDLE : Stretch.ALL, label, waits);
        if (leaves) {
            leave("layer");
        }
        return overlaps ? beside(kind, block, Stretch.EXIT, label) : computed;
    }

    /** Backward of a block; the gradient of its input is added up afterwards, or beside the product that makes those of its first weights. */
    private int backward(Block block, String label, int... waits) {
        Kind kind = Kind.LAYER_BACKWARD;
        enter("layer gradient", productBytes(), waits);
        boolean overlaps = parallel.is(Choice.OVERLAPS_EXCHANGES);
        if (overlaps) {
            beside(kind, block, Stretch.ENTRY, label, waits);
        }
        boolean exits = overlaps || parallel.is(Choice.ASYNC_ALL_REDUCE);
        Stretch alone = overlaps ? Stretch.MIDDLE : exits ? Stretch.ALL_BUT_EXIT : Stretch.ALL;
        int computed = around(kind, block, alone, label, waits);
        for (int i = 0; i < exchanges(block); i++) {
            leave("layer gradient");
        }
        return exits ? beside(kind, block, Stretch.EXIT, label) : computed;
    }

    /** Computes beside what was exchanged last, which stays awaited for the compute after this. */
    private int beside(Kind kind, Block block, Stretch stretch, String label, int... waits) {
        return writer.computeBeside(new Work(kind, block, stretch, Span.ALL, 1), label, waits);
    }

    /** A block, or a stretch of it: at once, or around attention in steps, where samples are split and there is attention in it. */
    private int around(Kind kind, Block block, Stretch stretch, String label, int... waits) {
        boolean attends = block != Block.FEED_FORWARD
                && !(kind == Kind.LAYER_RECOMPUTE && job.checkpointing() == Checkpointing.OPERATOR);
        if (context.size() == 1 || !attends) {
            return writer.compute(new Work(kind, block, stretch, Span.ALL, 1), label, waits);
        }
        writer.compute(new Work(kind, block, stretch, Span.BEFORE_ATTENTION, 1), label, waits);
        boolean backward = kind == Kind.LAYER_BACKWARD;
        writer.allocate(MemoryOwner.WORKING_SET, memory.contextBytes(backward));
        int exchanged = attend(new Work(kind, block, stretch, Span.ATTENTION_STEP, 1), label, backward);
        writer.free(MemoryOwner.WORKING_SET, memory.contextBytes(backward));
        return writer.compute(new Work(kind, block, stretch, Span.AFTER_ATTENTION, 1), label, exchanged);
    }

    /**
     * Attention over the keys and values of one rank of a context-parallel group after the other. Those of the next come meanwhile, each rank passing on
     * what it has; in backward the gradients of those before come one exchange later, and the last of them when all steps are done (Ring Attention,
     * arXiv:2310.01889; TransformerEngine v1.11, transformer_engine/pytorch/attention.py, AttnFuncWithCPAndKVP2P). Returns the last exchange.
     */
    private int attend(Work each, String label, boolean backward) {
        int exchanged = StepWriter.NONE;
        for (int step = 0; step < context.size(); step++) {
            int arrived = exchanged;
            boolean keysGo = step < context.size() - 1;
            boolean gradientsGo = backward && step > 0;
            if (keysGo || gradientsGo) {
                long parts = (keysGo ? 1 : 0) + (gradientsGo ? 1 : 0);
                exchanged = writer.collective(
                        Stream.CONTEXT,
                        CollectiveKind.SEND_RECV,
                        context,
                        parts * memory.keyValueBytes(),
                        "auto",
                        backward ? "pass keys, values and gradients on" : "pass keys and values on",
                        backward || step == 0 ? writer.lastCompute() : StepWriter.NONE);
            }
            writer.compute(each, label, arrived);
        }
        return exchanged;
    }

    /** How often a block's input is exchanged: query, key and value, or gate and up projection, may each do so. */
    private int exchanges(Block block) {
        if (!parallel.is(Choice.EXCHANGES_BY_PROJECTION)) {
            return 1;
        }
        Transformer operators = job.model().operators();
        return (block == Block.ATTENTION ? operators.attention() : operators.feedForward())
                .stream().mapToInt(Operator::projections).sum();
    }

    /** The hidden state, or its gradient, as a layer's products take it: rounded before it is gathered. */
    private long productBytes() {
        return profile.eightBitProducts()
                ? memory.hiddenBytes() / job.precision().bytes()
                : memory.hiddenBytes();
    }

    /** Brings the parts of the sequence together before a block whose weights are split. */
    void enter(String what, long bytes, int... waits) {
        if (parallel.sequence()) {
            exchange(CollectiveKind.ALL_GATHER, bytes, "gather sequence of " + what, waits);
            placeSequence("place sequence of " + what);
        }
    }

    /** Adds up what the ranks of the group have computed, each with its part of the weights. */
    void leave(String what) {
        if (parallel.sequence()) {
            placeSequence("cut sequence of " + what);
            exchange(CollectiveKind.REDUCE_SCATTER, memory.hiddenBytes(), "scatter sequence of " + what);
        } else {
            exchange(CollectiveKind.ALL_REDUCE, memory.hiddenBytes(), "all-reduce " + what);
        }
    }

    /** Brings whole logits together, or adds up what each rank has of the loss. */
    void leaveHead() {
        if (parallel.is(Choice.GATHERS_LOGITS)) {
            exchange(
                    CollectiveKind.ALL_GATHER, memory.logitBytes(job.precision().bytes()), "gather logits");
            return;
        }
        // The three sums of megatron/core/tensor_parallel/cross_entropy.py.
        for (String part : List.of("largest logit", "target logit", "sum of exponentials")) {
            exchange(CollectiveKind.ALL_REDUCE, 4 * job.microBatchTokens(), "all-reduce " + part);
        }
    }

    /** Parts of the sequence of several samples lie apart where samples come first, and a collective wants them together. */
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
