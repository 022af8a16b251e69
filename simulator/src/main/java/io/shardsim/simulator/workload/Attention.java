package io.shardsim.simulator.workload;

/**
 * Attention of queries over keys and values.
 *
 * @param heads query heads
 * @param kvHeads key heads, and equally many value heads
 * @param headDim width of a query and of a key
 * @param valueDim width of a value
 * @param rotaryDim rotated width of a query and of a key; 0 for none
 * @param biased whether a position bias is added to the scores
 * @param window maximum keys that a query attends to; 0 for all in its reach
 */
public record Attention(
        int heads, int kvHeads, int headDim, int valueDim, int rotaryDim, Reach reach, boolean biased, int window)
        implements Operator {
    /** Keys that a query attends to. */
    public enum Reach {
        /** Keys up to its own position. */
        CAUSAL,
        /** All keys of its sample. */
        BOTH_WAYS,
        /** Keys of the encoder (cross attention). */
        ENCODER
    }

    /** Creates attention without position biases. */
    public Attention(int heads, int kvHeads, int headDim, int valueDim, int rotaryDim, Reach reach) {
        this(heads, kvHeads, headDim, valueDim, rotaryDim, reach, false, 0);
    }

    /** Returns the number of keys for which a causal mask leaves equally many scores as the window. */
    public long seen(long keys) {
        return window == 0 || window >= keys ? keys : window * (2 * keys - window) / keys;
    }

    public boolean isCausal() {
        return reach == Reach.CAUSAL;
    }

    /** Returns the width of the result. */
    public int width() {
        return heads * valueDim;
    }

    /** Returns the total width of queries. */
    public int queryWidth() {
        return heads * headDim;
    }

    /** Returns the total width of keys. */
    public int keyWidth() {
        return kvHeads * headDim;
    }

    /** Returns the total width of values. */
    public int valueWidth() {
        return kvHeads * valueDim;
    }

    /** Returns the total rotated width of queries and keys. */
    public int rotaryWidth() {
        return (heads + kvHeads) * rotaryDim;
    }

    /** Returns the flops of scores and of their GEMM with the values. */
    @Override
    public long flops(int sequenceLength) {
        return 2L * seen(sequenceLength) * (queryWidth() + width());
    }

    /** Returns the elements of queries, keys and values; the encoder's count for its own tokens. */
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
