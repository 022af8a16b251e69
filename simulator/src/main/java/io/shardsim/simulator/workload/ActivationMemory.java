package io.shardsim.simulator.workload;

/**
 * Bytes that a forward pass keeps for the backward pass, by the count of Korthikanti et al. [1], equations 1 to 4, with
 * activations in 16 bits (or 32) and one byte for each element of a dropout mask.
 *
 * <p>For a GPT layer on one rank: {@code s b h (34 + 5 a s / h)}. With tensor parallelism of degree t the input of the two blocks
 * and the dropout masks (10 of the 34) stay whole unless the sequence is split too. Selective recomputation and
 * FlashAttention drop the quadratic term; full recomputation keeps the layer's input alone, 2 s b h. Generalised here to
 * any ffn width, grouped keys and values, gated blocks, and models without dropout, from the same list of tensors.
 *
 * <p>A compiler that computes again in backward what is cheap keeps less of a layer [2]: not what norms and activations give, nor masks,
 * which come back from their seed; and no product that nobody needs.
 *
 * <p>Leaves out temporaries inside an operator, workspaces and fragmentation: an allocator's ledger adds those.
 *
 * <p>[1] Reducing Activation Recomputation in Large Transformer Models, arXiv:2205.05198, section 4. [2] Min-cut partitioner of PyTorch 2,
 * torch/_functorch/partitioners.py.
 *
 * @param shape the model
 * @param attention how scores are computed
 * @param dropout whether the model was trained with dropout (masks are kept)
 * @param tensorParallel degree of tensor parallelism, t
 * @param sequenceParallel whether the norms and dropouts are split along the sequence among the same ranks
 * @param elementBytes bytes of an activation, 2 or 4
 * @param recomputesPointwise whether element-wise results are computed again in backward rather than kept
 */
public record ActivationMemory(
        ModelShape shape,
        AttentionKind attention,
        boolean dropout,
        int tensorParallel,
        boolean sequenceParallel,
        int elementBytes,
        boolean recomputesPointwise) {
    /** One fp32 for each query and head (arXiv:2205.14135, algorithm 1). */
    private static final long LOG_SUM_EXP_BYTES = 4;

    public ActivationMemory {
        if (tensorParallel < 1) {
            throw new IllegalArgumentException("tensor_parallel " + tensorParallel + " must be at least 1");
        }
    }

    /** Kept bytes of one layer. */
    public long layerBytes(int microBatch, int sequenceLength, Checkpointing checkpointing) {
        long tokens = (long) microBatch * sequenceLength;
        long whole = wholeBytesPerToken(checkpointing) * tokens;
        long split = splitBytesPerToken(sequenceLength, checkpointing) * tokens;
        return divide(whole, sequenceParallel ? tensorParallel : 1) + divide(split, tensorParallel);
    }

    /**
     * Bytes alive while one layer that kept only its input runs its recomputation and backward: what
     * {@link Checkpointing#NONE} would have kept. Adds to the kept inputs of all layers, once.
     */
    public long recomputedLayerBytes(int microBatch, int sequenceLength) {
        return layerBytes(microBatch, sequenceLength, Checkpointing.NONE);
    }

    /**
     * Gradients alive at once inside the backward of a layer, at its widest place: of the scores and of what they came from
     * (two matrices, standard attention), or of the input and output of the feed-forward activation. Adds to
     * the layer's activations.
     */
    public long backwardTemporaryBytes(int microBatch, int sequenceLength) {
        long tokens = (long) microBatch * sequenceLength;
        long element = elementBytes;
        long scores = attention == AttentionKind.STANDARD ? 2 * element * shape.heads() * sequenceLength * tokens : 0;
        long feedForward = (shape.gatedFfn() ? 3 : 2) * element * shape.ffn() * tokens;
        return divide(Math.max(scores, feedForward), tensorParallel);
    }

    /** Kept inputs of the final norm and of the logits; what the loss keeps of these is the framework's. */
    public long outputBytes(int microBatch, int sequenceLength) {
        return 2L * elementBytes * shape.hidden() * microBatch * sequenceLength;
    }

    /** Inputs of norms and blocks, and dropout masks outside the attention: not divided by tensor parallelism alone. */
    private long wholeBytesPerToken(Checkpointing checkpointing) {
        long h = shape.hidden();
        if (checkpointing.startsFromInput()) {
            return elementBytes * h;
        }
        return recomputesPointwise ? 2 * elementBytes * h : 4 * elementBytes * h + (dropout ? 2 * h : 0);
    }

    /** Queries, keys, values, inputs of the projection and of the feed-forward block, and the attention matrices. */
    private long splitBytesPerToken(int sequenceLength, Checkpointing checkpointing) {
        if (checkpointing == Checkpointing.FULL) {
            return 0;
        }
        if (checkpointing == Checkpointing.OPERATOR) {
            // Attention's output and log-sum-exp; query, value, gate, and the last product, which only the
            // operator-wise list needs.
            long products = (recomputesPointwise ? 1L : 2L) * shape.hidden() + shape.kvHidden() + shape.ffn();
            return elementBytes * (shape.hidden() + (shape.gatedFfn() ? products : 0))
                    + LOG_SUM_EXP_BYTES * shape.heads();
        }
        long linear = 2L * elementBytes * (shape.hidden() + shape.kvHidden()) + ffnBytesPerToken();
        if (checkpointing == Checkpointing.SELECTIVE) {
            return linear;
        }
        if (attention == AttentionKind.FLASH) {
            return linear + LOG_SUM_EXP_BYTES * shape.heads();
        }
        // Softmax output, and with dropout its mask and its output.
        return linear
                + (dropout && !recomputesPointwise ? 2L * elementBytes + 1 : elementBytes)
                        * shape.heads()
                        * sequenceLength;
    }

    /** What the first products of the feed-forward block give, one or two of them, and what the last one takes. */
    private long ffnBytesPerToken() {
        long tensors = (shape.gatedFfn() ? 2 : 1) + (recomputesPointwise ? 0 : 1);
        return tensors * elementBytes * shape.ffn();
    }

    private static long divide(long bytes, int ways) {
        return (bytes + ways - 1) / ways;
    }
}
