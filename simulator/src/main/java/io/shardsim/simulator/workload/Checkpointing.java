package io.shardsim.simulator.workload;

/** Which activations of a transformer layer are recomputed in the backward pass instead of kept. */
public enum Checkpointing {
    /** Everything is kept. */
    NONE,
    /** Scores, softmax, dropout and the product with the values are recomputed (arXiv:2205.05198, section 5). */
    SELECTIVE,
    /** Only the input of the layer is kept; its whole forward runs again. */
    FULL
}
