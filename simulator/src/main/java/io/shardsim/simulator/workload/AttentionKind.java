package io.shardsim.simulator.workload;

/** Implementation of attention scores. */
public enum AttentionKind {
    /** Scores, softmax and dropout are matrices in memory between two batched GEMMs. */
    STANDARD,
    /** One fused kernel keeps scores on-chip and skips masked blocks (FlashAttention, arXiv:2205.14135). */
    FLASH
}
