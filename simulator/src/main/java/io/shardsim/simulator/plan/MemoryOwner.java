package io.shardsim.simulator.plan;

/** Owner of GPU memory; the memory ledger sums by it. */
public enum MemoryOwner {
    /** Sharded or replicated low-precision parameters. */
    PARAMETERS,
    /** Gradients kept between micro-batches. */
    GRADIENTS,
    /** Master weights and Adam moments. */
    OPTIMIZER_STATES,
    /** Sharded units that are currently gathered. */
    GATHERED_UNITS,
    /** Activations saved for backward. */
    ACTIVATIONS,
    /** Activations and temporaries of the layer being computed. */
    WORKING_SET,
    /** Buckets, staging and unsharded gradients in flight. */
    BUCKETS,
    /** CUDA context, communication library buffers, framework. */
    RUNTIME,
    /** Allocator blocks that are reserved but not used. */
    FRAGMENTATION
}
