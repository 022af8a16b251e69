package io.shardsim.simulator.compute;

import io.shardsim.simulator.workload.ExpertRouter;
import io.shardsim.simulator.workload.ExpertSum;
import io.shardsim.simulator.workload.Operator;

/**
 * Which kernels CUDA graphs launch, so that the host does not issue them one by one (NVIDIA/Megatron-LM megatron/training/arguments.py,
 * --cuda-graph-impl and --cuda-graph-scope).
 *
 * <p>Leaves out the memory of graphs and their static buffers.
 */
public enum CudaGraphs {
    NONE,
    /** Those of routers. */
    ROUTER,
    /** Those of layers, except experts', whose rows differ from step to step. */
    PARTIAL,
    /** All of an iteration. */
    FULL;

    boolean launch(Operator operator) {
        return switch (this) {
            case NONE -> false;
            case ROUTER -> operator instanceof ExpertRouter;
            case PARTIAL -> !operator.isOfExperts() && !(operator instanceof ExpertSum);
            case FULL -> true;
        };
    }
}
