package io.shardsim.simulator.workload;

/**
 * Attention of queries over keys and values.
 *
 * @param heads query heads
 * @param kvHeads key heads, and as many value heads
 * @param headDim width of a query and of a key
 * @param valueDim width of a value
 * @param rotaryDim of a query and of a key, the part that positions turn; 0 for none
 * @param biased whether a bias of each pair of positions is added to the scores
 * @param window keys that a query sees at most; 0 for all that its reach has
 */
public record Attention(
        int heads, int kvHeads, int headDim, int valueDim, int rotaryDim, Reach reach, boolean biased, int window)
        implements Operator {
    /** Which keys a query sees. */
    public enum Reach {
        /** None after its own. */
        CAUSAL,
        /** All of its sample. */
        BOTH_WAYS,
        /** Those of the encoder (cross attention). */
        ENCODER
    }

    /** Without biases. */
    public Attention(int heads, int kvHeads, int headDim, int valueDim, int rotaryDim, Reach reach) {
        this(heads, kvHeads, headDim, valueDim, rotaryDim, reach, false, 0);
    }

    /** As many keys of a causal mask as leave as many scores unmasked as the window does. */
    public long seen(long keys) {
        return window == 0 || window >= keys ? keys : window * (2 * keys - window) / keys;
    }

    public boolean isCausal() {
        return reach == Reach.CAUSAL;
    }

    /** Width of the result. */
    public int width() {
        return heads * valueDim;
    }

    /** Width of all queries together. */
    public int queryWidth() {
        return heads * headDim;
    }

    /** Width of all keys together. */
    public int keyWidth() {
        return kvHeads * headDim;
    }

    /** Width of all values together. */
    public int valueWidth() {
        return kvHeads * valueDim;
    }

    /** Width of the parts of queries and keys that positions turn. */
    public int rotaryWidth() {
        return (heads + kvHeads) * rotaryDim;
    }

    /** Scores of each key, and their product with its value. */
    @Override
    public long flops(int sequenceLength) {
        return 2L * seen(sequenceLength) * (queryWidth() + width());
    }

    /** Queries, keys and values; those of the encoder are kept for its tokens. */
    @Override
    public long savedInputs() {
        return reach == Reach.ENCODER ? queryWidth() : queryWidth() + keyWidth() + valueWidth();
    }

    @Override
    public boolean takesPart() {
        return true;
    }

    @Override
    public int projections() {
        return 3;
    }

    @Override
    public boolean runsAfter(int number, int of) {
        return number == of - 1;
    }
}
