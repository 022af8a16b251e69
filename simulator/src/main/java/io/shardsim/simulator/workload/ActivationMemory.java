package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Linear.Product;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that a forward pass saves for the backward pass, after Korthikanti et al. [1], equations 1 to 4, with 16-bit (or FP32) activations and one
 * byte per element of a dropout mask.
 *
 * <p>For a GPT layer on one rank: {@code s b h (34 + 5 a s / h)}. With tensor parallelism of degree t the input of the two blocks and the dropout
 * masks (10 of the 34) are not split without sequence parallelism. Selective recomputation and FlashAttention drop the quadratic term; full
 * recomputation only saves the layer's input, 2 s b h. Generalized here to any FFN width, grouped keys and values, gated blocks, and models without
 * dropout, from the same list of tensors.
 *
 * <p>A compiler that recomputes cheap results in backward saves less of a layer [2]: no results of norms and activations, no masks, which are
 * regenerated from their seed, and no unused GEMM results.
 *
 * <p>Leaves out temporaries inside an operator, workspaces and fragmentation: the memory ledger adds those.
 *
 * <p>[1] Reducing Activation Recomputation in Large Transformer Models, arXiv:2205.05198, section 4. [2] Min-cut partitioner of PyTorch 2,
 * torch/_functorch/partitioners.py.
 *
 * @param shape the model
 * @param attention how scores are computed
 * @param dropout whether the model is trained with dropout (masks are saved)
 * @param tensorParallel degree of tensor parallelism, t
 * @param sequenceParallel whether norms and dropouts are split along the sequence among these ranks
 * @param elementBytes bytes per activation, 2 or 4
 * @param recomputesPointwise whether element-wise results are recomputed in backward instead of saved
 * @param recomputed what selective recomputation recomputes
 */
public record ActivationMemory(
        ModelShape shape,
        AttentionKind attention,
        boolean dropout,
        int tensorParallel,
        boolean sequenceParallel,
        int elementBytes,
        boolean recomputesPointwise,
        Recomputed recomputed) {
    /** Log-sum-exp in FP32 per query and head (arXiv:2205.14135, algorithm 1). */
    private static final long LOG_SUM_EXP_BYTES = 4;

    /** Softmax of a router's logit in FP32, as in all frameworks (huggingface/transformers, modeling_mixtral.py, MixtralSparseMoeBlock, 2024). */
    private static final long ROUTER_LOGIT_BYTES = 4;

    public ActivationMemory {
        if (tensorParallel < 1) {
            throw new IllegalArgumentException("tensor_parallel " + tensorParallel + " must be at least 1");
        }
    }

    /** Returns the saved bytes of one layer. */
    public long layerBytes(int layer, int microBatch, int sequenceLength, Checkpointing checkpointing) {
        long tokens = (long) microBatch * sequenceLength;
        long whole;
        long split;
        LayerKind kind = shape.kind(layer);
        if (checkpointing.startsFromInput()) {
            Span first = kind.blocks().get(0).tokens();
            whole = first.each(elementBytes * startWidth(kind), tokens, sequenceLength);
            split = checkpointing == Checkpointing.OPERATOR ? keptResults(kind, tokens, sequenceLength) : 0;
        } else {
            whole = kept(kind, false, tokens, sequenceLength, checkpointing);
            split = kept(kind, true, tokens, sequenceLength, checkpointing);
        }
        return divide(whole, sequenceParallel ? tensorParallel : 1) + divide(split, tensorParallel);
    }

    /**
     * Returns the elements per token that a checkpoint of a whole layer saves: its input; of a multi-token prediction module also the next token's
     * embedding, and the input of its logits, which are not recomputed.
     */
    private long startWidth(LayerKind kind) {
        Operator entry = kind.operators().get(0);
        if (entry instanceof Convolution) {
            return entry.savedInputs();
        }
        return (entry instanceof Embedding ? 3L : 1) * shape.hidden();
    }

    /**
     * Saved bytes of one operator on a rank.
     *
     * @param block block of the operator
     * @param inputBytes bytes of its input, unless that is recreated from earlier saved tensors
     * @param withinBytes bytes created within the operator
     */
    public record OfOperator(Block block, Operator operator, long inputBytes, long withinBytes) {}

    /** Returns the saved bytes of one layer without checkpoints, operator by operator. */
    public List<OfOperator> byOperator(int layer, int microBatch, int sequenceLength) {
        long tokens = (long) microBatch * sequenceLength;
        List<OfOperator> kept = new ArrayList<>();
        Operator before = null;
        for (Block block : shape.kind(layer).blocks()) {
            Span of = block.tokens();
            for (Operator operator : block.operators()) {
                int ways = operator.takesPart() || sequenceParallel ? tensorParallel : 1;
                long input = of.each(elementBytes * keptInput(before, operator), tokens, sequenceLength);
                int keys = block.keys(operator, sequenceLength);
                long within = of.each(keptWithin(operator, keys, Checkpointing.NONE), tokens, sequenceLength);
                kept.add(new OfOperator(block, operator, divide(input, ways), divide(within, ways)));
                before = operator;
            }
        }
        return kept;
    }

    /**
     * Returns the peak of gradients inside the backward of a layer: of the scores before and after softmax (two matrices, standard attention), or of
     * the input and output of the FFN activation or a batch norm. Adds to the layer's activations.
     */
    public long backwardTemporaryBytes(int layer, int microBatch, int sequenceLength) {
        long tokens = (long) microBatch * sequenceLength;
        long widest = 0;
        for (Block block : shape.kind(layer).blocks()) {
            for (Operator operator : block.operators()) {
                long ofToken = gradients(operator, block.keys(operator, sequenceLength));
                widest = Math.max(widest, block.tokens().each(ofToken, tokens, sequenceLength));
            }
        }
        return divide(widest, tensorParallel);
    }

    private long gradients(Operator operator, int keys) {
        if (operator instanceof Attention core) {
            return attention == AttentionKind.STANDARD ? 2L * elementBytes * core.heads() * keys : 0;
        }
        if (operator instanceof BatchNorm norm) {
            return 2L * elementBytes * norm.width();
        }
        return operator instanceof Activation activation
                ? (activation.projections() + 1L) * elementBytes * activation.width()
                : 0;
    }

    /** Returns the saved inputs of the final norm and of the logits; the loss's own saved tensors depend on the framework. */
    public long outputBytes(int microBatch, int sequenceLength) {
        long tokens = (long) microBatch * sequenceLength;
        return shape.operators().output().stream()
                .mapToLong(block ->
                        block.tokens().each(elementBytes * block.sum(Operator::savedInputs), tokens, sequenceLength))
                .sum();
    }

    /**
     * Returns the saved bytes of a layer's operators: their inputs, unless recreated from earlier saved tensors, and tensors created within.
     *
     * @param split whether to count operators with a split input under tensor parallelism, or those with the whole input
     */
    private long kept(LayerKind kind, boolean split, long tokens, int sequenceLength, Checkpointing checkpointing) {
        long bytes = 0;
        Operator before = null;
        for (Block block : kind.blocks()) {
            long ofToken = 0;
            for (Operator operator : block.operators()) {
                if (operator.takesPart() == split) {
                    boolean dropped = checkpointing == Checkpointing.SELECTIVE && recomputed.drops(operator.name());
                    ofToken += dropped ? 0 : elementBytes * keptInput(before, operator);
                    ofToken += keptWithin(operator, block.keys(operator, sequenceLength), checkpointing);
                }
                before = operator;
            }
            bytes += block.tokens().each(ofToken, tokens, sequenceLength);
        }
        return bytes;
    }

    /**
     * Returns the saved elements of an operator's input, without those that are recreated; flash attention saves its own result, whatever consumes
     * it.
     */
    private long keptInput(@Nullable Operator before, Operator operator) {
        long comesBack = before != null && recomputesPointwise ? before.cheapResults() : 0;
        long ofAttention = before instanceof Attention core && attention == AttentionKind.FLASH ? core.width() : 0;
        return Math.max(ofAttention, operator.savedInputs() - comesBack);
    }

    /**
     * Returns the saved elements within an operator: the mask of a dropout before a residual addition; adapters' intermediate results; attention's
     * results from scores.
     */
    private long keptWithin(Operator operator, int keys, Checkpointing checkpointing) {
        if (checkpointing == Checkpointing.SELECTIVE && recomputed.runs(operator.name())) {
            return 0;
        }
        boolean masks = dropout && !recomputesPointwise;
        if (operator instanceof Residual residual) {
            return masks ? residual.width() : 0;
        }
        if (operator instanceof ExpertRouter router) {
            return ROUTER_LOGIT_BYTES * router.experts().number();
        }
        if (operator instanceof Linear linear) {
            return elementBytes * linear.savedWithin();
        }
        if (operator instanceof Pool pool) {
            return pool.placeBytes();
        }
        if (!(operator instanceof Attention core)) {
            return 0;
        }
        if (attention == AttentionKind.FLASH) {
            return LOG_SUM_EXP_BYTES * core.heads();
        }
        // Softmax output, and with dropout its mask and its output.
        return (masks ? 2L * elementBytes + 1 : elementBytes) * core.heads() * keys;
    }

    /**
     * Returns what operator-wise checkpointing saves: attention's result and log-sum-exp, and its list of GEMMs; only that list needs the result of
     * the layer's last one.
     */
    private long keptResults(LayerKind kind, long tokens, int sequenceLength) {
        Product last = kind.lastProduct();
        long bytes = 0;
        for (Block block : kind.blocks()) {
            long ofToken = 0;
            for (Product product : Checkpointing.OPERATOR.keptProducts(block)) {
                ofToken += recomputesPointwise && product.equals(last)
                        ? 0
                        : elementBytes * product.experts().arrived(product.outputs());
            }
            for (Operator operator : block.operators()) {
                ofToken += operator instanceof Attention core
                        ? (long) elementBytes * core.width() + LOG_SUM_EXP_BYTES * core.heads()
                        : 0;
            }
            bytes += block.tokens().each(ofToken, tokens, sequenceLength);
        }
        return bytes;
    }

    private static long divide(long bytes, int ways) {
        return (bytes + ways - 1) / ways;
    }
}
