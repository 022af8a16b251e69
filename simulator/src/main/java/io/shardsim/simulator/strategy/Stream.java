package io.shardsim.simulator.strategy;

/** A lane of a rank; operations of one lane run one after another in plan order. */
public enum Stream {
    /** The host process that issues kernels: bookkeeping, allocator work, blocking synchronisation. */
    HOST,
    /** Forward, backward and optimizer kernels. */
    COMPUTE,
    /** Collectives that bring parameters. */
    GATHER,
    /** Collectives that combine gradients. */
    REDUCE,
    /** Copies between GPU and host memory. */
    COPY
}
