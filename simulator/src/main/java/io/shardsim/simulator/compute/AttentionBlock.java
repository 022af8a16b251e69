package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.compute.Kernel.FlashAttention;
import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Pass;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.compute.RankShare.Linear;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.List;

/**
 * First norm, attention and residual addition.
 *
 * <p>Context parallelism splits the tokens of a sample among c ranks, each with an early and a late piece, so that attention of all of them costs
 * the same [1]. It goes in c steps, each over the keys and values of one rank; their results are merged in memory [2].
 *
 * <p>[1] Brandon et al., Striped Attention, arXiv:2311.09431, section 2.2; Megatron-LM, megatron/core/utils.py, get_batch_on_this_cp_rank.
 * [2] NVIDIA/TransformerEngine v1.11, transformer_engine/pytorch/attention.py, AttnFuncWithCPAndKVP2P.
 */
final class AttentionBlock extends BlockKernels {
    private final ModelShape shape;
    private final Workload workload;
    private final FrameworkProfile profile;

    AttentionBlock(RankShare share) {
        super(share, inputProjections(share), outputProjection(share));
        shape = share.shape();
        workload = share.workload();
        profile = share.profile();
    }

    private static List<Linear> inputProjections(RankShare share) {
        ModelShape shape = share.shape();
        int hidden = shape.hidden();
        boolean bias = !shape.gatedFfn();
        if (bias || share.profile().fusedProjections()) {
            return List.of(
                    share.ofLayer("attention.qkv", hidden, share.split(hidden + 2L * shape.kvHidden()), bias, true));
        }
        return List.of(
                share.ofLayer("attention.query", hidden, share.split(hidden), false, true),
                share.ofLayer("attention.key", hidden, share.split(shape.kvHidden()), false, true),
                share.ofLayer("attention.value", hidden, share.split(shape.kvHidden()), false, true));
    }

    private static Linear outputProjection(RankShare share) {
        int hidden = share.shape().hidden();
        return share.ofLayer(
                "attention.output", share.split(hidden), hidden, !share.shape().gatedFfn(), false);
    }

    @Override
    public List<Kernel> recompute(Checkpointing checkpointing) {
        if (checkpointing == Checkpointing.FULL) {
            return forward();
        }
        RankShare.Sequence kernels = share.sequence();
        kernels.addNormForward();
        kernels.addForward(firstRecomputed());
        kernels.addAll(headsForward());
        kernels.addForward(lastRecomputed());
        kernels.addResidualForward();
        return kernels.list();
    }

    @Override
    List<Kernel> innerForward() {
        return RankShare.joined(headsForward(), attentionForward());
    }

    @Override
    List<Kernel> innerBackward() {
        RankShare.Sequence kernels = share.sequence();
        kernels.addAll(attentionBackward());
        if (shape.gatedFfn()) {
            kernels.add(Operator.ROTARY_BACKWARD, rotaryElements());
        }
        kernels.add(Operator.LAYOUT_BACKWARD, splitHidden());
        return kernels.list();
    }

    /** Heads are laid out, and their queries and keys rotated. */
    private List<Kernel> headsForward() {
        RankShare.Sequence kernels = share.sequence();
        kernels.add(Operator.LAYOUT_FORWARD, splitHidden());
        if (shape.gatedFfn()) {
            kernels.add(Operator.ROTARY_FORWARD, rotaryElements());
        }
        return kernels.list();
    }

    /** Scores to context: what selective checkpointing computes again. */
    List<Kernel> attentionForward() {
        if (workload.attention() == AttentionKind.FLASH) {
            return flashAttention(Pass.FORWARD);
        }
        RankShare.Sequence kernels = share.sequence();
        long s = workload.sequenceLength();
        kernels.add(new Matmul("attention.scores", heads(), s, s, shape.headDim()));
        kernels.add(Operator.SOFTMAX_FORWARD, scores());
        if (profile.dropout()) {
            kernels.add(Operator.SCORE_DROPOUT_FORWARD, scores());
        }
        kernels.add(new Matmul("attention.context", heads(), s, shape.headDim(), s));
        return kernels.list();
    }

    private List<Kernel> attentionBackward() {
        if (workload.attention() == AttentionKind.FLASH) {
            return flashAttention(Pass.BACKWARD);
        }
        RankShare.Sequence kernels = share.sequence();
        long s = workload.sequenceLength();
        long d = shape.headDim();
        kernels.add(new Matmul("attention.context.probabilities", heads(), s, s, d));
        kernels.add(new Matmul("attention.context.values", heads(), s, d, s));
        if (profile.dropout()) {
            kernels.add(Operator.SCORE_DROPOUT_BACKWARD, scores());
        }
        kernels.add(Operator.SOFTMAX_BACKWARD, scores());
        kernels.add(new Matmul("attention.scores.queries", heads(), s, d, s));
        kernels.add(new Matmul("attention.scores.keys", heads(), s, d, s));
        return kernels.list();
    }

    /**
     * One step over the keys and values of each rank. Half of the scores are masked in each: in that of the rank's own by the diagonal, else
     * because one of its two pieces of queries, or of keys, is out of sight. In forward the result is added to the sum of those before; in
     * backward the gradients of queries, keys and values are.
     */
    private List<Kernel> flashAttention(Pass pass) {
        List<Kernel> kernels = new ArrayList<>();
        for (int step = 0; step < workload.contextParallel(); step++) {
            kernels.add(new FlashAttention("attention", heads(), workload.rankSequence(), shape.headDim(), pass));
            if (workload.contextParallel() > 1) {
                long width = share.split(shape.hidden() + (pass == Pass.BACKWARD ? 2L * shape.kvHidden() : 0));
                // Read both, write one.
                kernels.add(new Kernel.MemoryBound(
                        "attention.merge", 3L * profile.elementBytes() * share.tokens() * width));
            }
        }
        return kernels;
    }

    private long heads() {
        return (long) workload.microBatch() * (shape.heads() / workload.tensorParallel());
    }

    private long scores() {
        return heads() * workload.sequenceLength() * workload.sequenceLength();
    }

    private long splitHidden() {
        return share.tokens() * share.split(shape.hidden());
    }

    private long rotaryElements() {
        return share.tokens() * share.split(shape.hidden() + shape.kvHidden());
    }
}
