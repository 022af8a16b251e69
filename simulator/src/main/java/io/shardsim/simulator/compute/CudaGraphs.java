package io.shardsim.simulator.compute;

/**
 * Which kernels CUDA graphs launch, so that the host does not issue them one by one (NVIDIA/Megatron-LM megatron/training/arguments.py,
 * --cuda-graph-impl and --cuda-graph-scope).
 *
 * <p>Leaves out the memory of graphs and their static buffers.
 */
public enum CudaGraphs {
    NONE,
    /** Those of layers; each expert's GEMM beyond the first is still issued, since its rows differ from step to step. */
    PARTIAL,
    /** All of an iteration. */
    FULL
}
