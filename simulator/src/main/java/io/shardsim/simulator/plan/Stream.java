package io.shardsim.simulator.plan;

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
    COPY,
    /** Collectives of a tensor-parallel group, which compute waits for. */
    TENSOR,
    /** Keys and values, and their gradients, on their way around a context-parallel group. */
    CONTEXT,
    /** Tokens on their way to their experts, and back. */
    EXPERT,
    /** Activations on their way to the next pipeline stage. */
    PIPELINE_FORWARD,
    /** Gradients of activations on their way back to the stage before. */
    PIPELINE_BACKWARD,
    /** The same from stages of odd number, so that no stage sends and receives in one lane and neither holds up the other. */
    PIPELINE_FORWARD_ODD,
    PIPELINE_BACKWARD_ODD;

    /** Whether ranks exchange data in this lane. */
    public boolean exchangesData() {
        return this != HOST && this != COMPUTE && this != COPY;
    }

    /** The lane under whose name reports count this one. */
    public Stream reportedAs() {
        return switch (this) {
            case PIPELINE_FORWARD_ODD -> PIPELINE_FORWARD;
            case PIPELINE_BACKWARD_ODD -> PIPELINE_BACKWARD;
            default -> this;
        };
    }

    /**
     * True where collectives are issued ahead of the kernels beside them (Megatron-LM's CUDA_DEVICE_MAX_CONNECTIONS=1), so that none waits for the kernel
     * that runs.
     */
    public boolean goesAheadOfKernels() {
        return this == TENSOR || this == CONTEXT || this == EXPERT;
    }

    /** True where compute mostly waits for each collective rather than overlap with it. */
    public boolean holdsUpCompute() {
        return switch (reportedAs()) {
            case TENSOR, EXPERT, PIPELINE_FORWARD, PIPELINE_BACKWARD -> true;
            default -> false;
        };
    }
}
