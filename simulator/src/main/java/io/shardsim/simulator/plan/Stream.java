package io.shardsim.simulator.plan;

/** Lane of a rank; operations of one lane run one after another in plan order. */
public enum Stream {
    /** Host process that issues kernels: bookkeeping, allocator work, blocking synchronization. */
    HOST,
    /** Forward, backward and optimizer kernels. */
    COMPUTE,
    /** Collectives that gather parameters. */
    GATHER,
    /** Collectives that reduce gradients. */
    REDUCE,
    /** Copies between GPU and host memory. */
    COPY,
    /** Blocking collectives of a tensor-parallel group. */
    TENSOR,
    /** Keys and values, and their gradients, sent around a context-parallel group. */
    CONTEXT,
    /** Tokens sent to their experts, and back. */
    EXPERT,
    /** Activations sent to the next pipeline stage. */
    PIPELINE_FORWARD,
    /** Gradients of activations sent to the previous stage. */
    PIPELINE_BACKWARD,
    /** Activations sent to the next pipeline stage from odd stages, so that no stage sends and receives in one lane and neither delays the other. */
    PIPELINE_FORWARD_ODD,
    PIPELINE_BACKWARD_ODD,
    /** Tokens passed on inside a node while others arrive over the network. */
    EXPERT_IN_NODE;

    /** Returns whether ranks communicate in this lane. */
    public boolean exchangesData() {
        return this != HOST && this != COMPUTE && this != COPY;
    }

    /** Returns the lane under which reports count this one. */
    public Stream reportedAs() {
        return switch (this) {
            case PIPELINE_FORWARD_ODD -> PIPELINE_FORWARD;
            case PIPELINE_BACKWARD_ODD -> PIPELINE_BACKWARD;
            case EXPERT_IN_NODE -> EXPERT;
            default -> this;
        };
    }

    /**
     * Returns whether collectives are issued ahead of neighbouring kernels (Megatron-LM's CUDA_DEVICE_MAX_CONNECTIONS=1), so that none waits for the
     * running kernel.
     */
    public boolean goesAheadOfKernels() {
        return this == TENSOR || this == CONTEXT || reportedAs() == EXPERT;
    }

    /** Returns whether compute mostly blocks on each collective instead of overlapping with it. */
    public boolean holdsUpCompute() {
        return switch (reportedAs()) {
            case TENSOR, EXPERT, PIPELINE_FORWARD, PIPELINE_BACKWARD -> true;
            default -> false;
        };
    }
}
