package io.shardsim.simulator.workload;

/**
 * Attention heads of a layer.
 *
 * @param queries query heads, a
 * @param keyValues key-value heads; as many without grouped-query attention
 * @param width of a query and of a key
 * @param latent what queries, keys and values are made of
 * @param normed whether queries and keys are normed head by head (QK-norm); Llama's layer alone
 * @param window which keys a query sees; Llama's layer alone
 */
public record Heads(int queries, int keyValues, int width, Latent latent, boolean normed, Window window) {
    /** Made of the hidden state, of all tokens before. */
    public Heads(int queries, int keyValues, int width, boolean normed) {
        this(queries, keyValues, width, Latent.NONE, normed, Window.NONE);
    }

    /** Width of a value. */
    int valueWidth() {
        return latent.isPresent() ? latent.valueWidth() : width;
    }
}
