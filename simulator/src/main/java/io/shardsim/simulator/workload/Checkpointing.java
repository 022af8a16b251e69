package io.shardsim.simulator.workload;

/** Which activations of a transformer layer are recomputed in the backward pass instead of kept. */
public enum Checkpointing {
    /** Everything is kept. */
    NONE,
    /** Scores, softmax, dropout and the product with the values are recomputed (arXiv:2205.05198, section 5). */
    SELECTIVE,
    /**
     * The layer's input is kept, what flash attention gives, and every second matrix product without a bias, from the first on; all else is
     * recomputed (torchtitan's "selective op", torchtitan/parallelisms/parallelize_llama.py @157a12c56, _save_list).
     */
    OPERATOR,
    /** Only the input of the layer is kept; its whole forward runs again. */
    FULL;

    /** Whether the layer's forward runs again from its input on. */
    public boolean startsFromInput() {
        return this == OPERATOR || this == FULL;
    }

    /** Share of the attention core that is computed again, 0 or 1. */
    public double recomputedAttention() {
        return this == SELECTIVE || this == FULL ? 1 : 0;
    }

    /** Share of the operations of a layer's matrix products that are computed again, 0 to 1; the last product counts, though it need not run. */
    public double recomputedProducts(ModelShape shape) {
        if (this != OPERATOR) {
            return this == FULL ? 1 : 0;
        }
        if (!shape.gatedFfn()) {
            return 1;
        }
        double keyOutputUp = shape.kvHidden() + shape.hidden() + shape.ffn();
        return keyOutputUp / (2.0 * shape.kvHidden() + 2.0 * shape.hidden() + 3.0 * shape.ffn());
    }
}
