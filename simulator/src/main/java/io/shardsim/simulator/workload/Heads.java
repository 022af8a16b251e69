package io.shardsim.simulator.workload;

/**
 * Attention heads of a layer.
 *
 * @param queries query heads, a
 * @param keyValues key-value heads; equal to query heads without grouped-query attention
 * @param width of a query and of a key
 * @param latent latent states of queries, keys and values
 * @param normed whether queries and keys are normalized per head (QK-norm); only in Llama's layer
 * @param window sliding window; only in Llama's layer
 */
public record Heads(int queries, int keyValues, int width, Latent latent, boolean normed, Window window) {
    /** Creates heads from the hidden state, without a window. */
    public Heads(int queries, int keyValues, int width, boolean normed) {
        this(queries, keyValues, width, Latent.NONE, normed, Window.NONE);
    }

    /** Returns the width of a value. */
    int valueWidth() {
        return latent.isPresent() ? latent.valueWidth() : width;
    }
}
