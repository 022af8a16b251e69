package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.compute.Kernel.FlashAttention;
import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Pass;
import io.shardsim.simulator.workload.Attention;
import io.shardsim.simulator.workload.Attention.Reach;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Portion;
import java.util.ArrayList;
import java.util.List;

/**
 * Attention over the heads of one rank.
 *
 * <p>Context parallelism splits the tokens of a sample among c ranks, each with an early and a late chunk, so that attention costs every rank the
 * same [1]. It runs in c steps, each over the keys and values of one rank; their results are merged in memory [2].
 *
 * <p>[1] Brandon et al., Striped Attention, arXiv:2311.09431, section 2.2; Megatron-LM, megatron/core/utils.py, get_batch_on_this_cp_rank. [2]
 * NVIDIA/TransformerEngine v1.11, transformer_engine/pytorch/attention.py, AttnFuncWithCPAndKVP2P. [3]
 * torch/distributed/tensor/experimental/_attention.py of PyTorch 2.6, _SDPAMerger and _templated_ring_attention_backward.
 */
record AttentionKernels(RankShare share, Attention attention) implements OperatorKernels {
    /**
     * Width of the blocks of keys at a window's second edge, half masked (Dao-AILab/flash-attention v2.5,
     * csrc/flash_attn/src/flash_fwd_launch_template.h: 128 wide).
     */
    private static final int WINDOW_EDGE = 128;

    /**
     * Bytes per element of the result and step that PyTorch reads and writes [3]: a cast to FP32, and three maps of one or two operands. In half of
     * the steps only late queries take part: half of these bytes, plus a copy of the whole result.
     */
    private static final long EAGER_MERGE = (38 + 19 + 8) / 2;
    /** Bytes per element of keys and values: they are copied into one buffer [3]. */
    private static final long EAGER_COPY = 2 + 2;
    /** Bytes per element of the queries' gradient: a sum in FP32, or a sum over the late half and a copy of the whole [3]. */
    private static final long EAGER_QUERY_SUM = (10 + 5 + 8) / 2;
    /**
     * Bytes per element of the gradients of keys and values: a sum in FP32, or a sum over the late half and a copy of the whole, then an FP32 copy
     * into one buffer [3].
     */
    private static final long EAGER_KEY_SUM = EAGER_QUERY_SUM + 4 + 4;

    @Override
    public List<Kernel> list(Direction direction, Portion portion) {
        List<Kernel> heads = direction.isBackward() ? headsBackward() : headsForward();
        return switch (portion) {
            case HEADS -> heads;
            case CORE -> core(direction);
            case STEP -> flashStep(direction);
            default ->
                direction.isBackward()
                        ? RankShare.joined(core(direction), heads)
                        : RankShare.joined(heads, core(direction));
        };
    }

    /** Lists the kernels that lay out heads and rotate queries and keys. */
    private List<Kernel> headsForward() {
        RankShare.Sequence kernels = share.sequence();
        kernels.add(Operator.LAYOUT_FORWARD, elements());
        if (attention.rotaryDim() > 0) {
            kernels.add(Operator.ROTARY_FORWARD, rotaryElements());
        }
        return kernels.list();
    }

    private List<Kernel> headsBackward() {
        RankShare.Sequence kernels = share.sequence();
        if (attention.rotaryDim() > 0) {
            kernels.add(Operator.ROTARY_BACKWARD, rotaryElements());
        }
        kernels.add(Operator.LAYOUT_BACKWARD, elements());
        return kernels.list();
    }

    private List<Kernel> core(Direction direction) {
        if (share.workload().attention() != AttentionKind.FLASH) {
            return direction.isBackward() ? coreBackward() : coreForward();
        }
        List<Kernel> step = flashStep(direction);
        List<Kernel> kernels = new ArrayList<>();
        for (int rank = 0; rank < share.workload().split().context(); rank++) {
            kernels.addAll(step);
        }
        return kernels;
    }

    private List<Kernel> coreForward() {
        RankShare.Sequence kernels = share.sequence();
        long s = queries();
        long k = keys();
        kernels.add(new Matmul("attention.scores", heads(), s, k, attention.headDim()));
        if (attention.biased()) {
            kernels.add(Operator.SCORE_BIAS_FORWARD, scores());
        }
        kernels.add(attention.isCausal() ? Operator.SOFTMAX_FORWARD : Operator.WHOLE_SOFTMAX_FORWARD, scores());
        if (share.profile().dropout()) {
            kernels.add(Operator.SCORE_DROPOUT_FORWARD, scores());
        }
        kernels.add(new Matmul("attention.context", heads(), s, attention.valueDim(), k));
        return kernels.list();
    }

    private List<Kernel> coreBackward() {
        RankShare.Sequence kernels = share.sequence();
        long s = queries();
        long k = keys();
        long d = attention.headDim();
        kernels.add(new Matmul("attention.context.probabilities", heads(), s, k, attention.valueDim()));
        kernels.add(new Matmul("attention.context.values", heads(), k, attention.valueDim(), s));
        if (share.profile().dropout()) {
            kernels.add(Operator.SCORE_DROPOUT_BACKWARD, scores());
        }
        kernels.add(attention.isCausal() ? Operator.SOFTMAX_BACKWARD : Operator.WHOLE_SOFTMAX_BACKWARD, scores());
        if (attention.biased()) {
            kernels.add(Operator.SCORE_BIAS_BACKWARD, scores());
        }
        kernels.add(new Matmul("attention.scores.queries", heads(), s, d, k));
        kernels.add(new Matmul("attention.scores.keys", heads(), k, d, s));
        return kernels.list();
    }

    /**
     * Lists one step over the keys and values of each rank. With a causal mask half of each step's scores are masked: in the rank's own step by the
     * diagonal, else because one of the two chunks of queries, or of keys, is fully masked. The forward adds the result to the sum so far; the
     * backward accumulates the gradients of queries, keys and values.
     */
    private List<Kernel> flashStep(Direction direction) {
        Pass pass = direction.isBackward() ? Pass.BACKWARD : Pass.FORWARD;
        Kernel flash = new FlashAttention("attention", heads(), share.rankSequence(), flashKeys(), meanDim(), pass);
        if (share.workload().split().context() == 1) {
            return List.of(flash);
        }
        if (share.workload().split().eagerSteps()) {
            return List.of(flash, new Kernel.MemoryBound("attention.merge", eagerBytes(pass)));
        }
        long width = share.split(
                attention.width() + (pass == Pass.BACKWARD ? (long) attention.keyWidth() + attention.valueWidth() : 0));
        // Read both, write one.
        long bytes = 3L * share.profile().elementBytes() * share.tokens() * width;
        return List.of(flash, new Kernel.MemoryBound("attention.merge", bytes));
    }

    /** Returns the bytes; keys and values are repeated for all heads before communication, as in torchtitan and Transformers (repeat_kv). */
    private long eagerBytes(Pass pass) {
        long keyWidth = attention.queryWidth() + attention.width();
        long ofToken = EAGER_COPY * keyWidth
                + (pass == Pass.BACKWARD
                        ? EAGER_QUERY_SUM * attention.queryWidth() + EAGER_KEY_SUM * keyWidth
                        : EAGER_MERGE * attention.width());
        return share.tokens() * share.split(ofToken);
    }

    /** Returns the keys of a fused kernel: blocks of keys outside the window are skipped, except in a step of context parallelism. */
    private Kernel.Keys flashKeys() {
        int keys = attention.reach() == Reach.ENCODER ? share.workload().rankSequence() : share.rankSequence();
        boolean whole = share.workload().split().context() > 1;
        long seen = whole ? keys : attention.seen(keys);
        return new Kernel.Keys(seen < keys ? Math.min(keys, seen + WINDOW_EDGE) : keys, attention.isCausal());
    }

    /** Returns the mean width: half of the GEMMs have the width of keys, half that of values. */
    private long meanDim() {
        return (attention.headDim() + attention.valueDim()) / 2;
    }

    private long heads() {
        return (long) share.workload().microBatch()
                * (attention.heads() / share.workload().split().tensor());
    }

    private long scores() {
        return heads() * queries() * keys();
    }

    /** Returns the queries per sample; a score matrix covers all tokens of the sample, on whichever rank. */
    private int queries() {
        return share.span().of(share.workload().sequenceLength());
    }

    private int keys() {
        int all = share.workload().sequenceLength();
        return attention.reach() == Reach.ENCODER ? all : share.span().of(all);
    }

    private long elements() {
        return share.tokens() * share.split(attention.width());
    }

    private long rotaryElements() {
        return share.tokens() * share.split(attention.rotaryWidth());
    }
}
