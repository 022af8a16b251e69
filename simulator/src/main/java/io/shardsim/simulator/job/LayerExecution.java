package io.shardsim.simulator.job;

import io.shardsim.simulator.compute.CudaGraphs;
import io.shardsim.simulator.compute.Optimizer;
import io.shardsim.simulator.workload.AttentionKind;
import org.jspecify.annotations.Nullable;

/**
 * How layers are executed.
 *
 * @param precision format of parameters, activations and gradients
 * @param attention how scores are computed
 * @param dropout whether dropout masks are saved
 * @param optimizer name of the optimizer
 * @param kernels framework profile of the kernels; the compute model knows it
 * @param fp8Recipe FP8 recipe of these kernels; null for their default
 * @param graphs kernels that CUDA graphs launch
 */
public record LayerExecution(
        Precision precision,
        AttentionKind attention,
        boolean dropout,
        Optimizer optimizer,
        String kernels,
        @Nullable String fp8Recipe,
        CudaGraphs graphs) {}
