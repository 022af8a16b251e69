package io.shardsim.simulator.job;

import io.shardsim.simulator.compute.Optimizer;
import io.shardsim.simulator.workload.AttentionKind;
import org.jspecify.annotations.Nullable;

/**
 * How layers are carried out.
 *
 * @param precision format of parameters, activations and gradients
 * @param attention how scores are computed
 * @param dropout whether dropout masks are kept
 * @param optimizer what updates the weights
 * @param kernels framework profile whose kernels run; the compute model knows it
 * @param fp8Recipe of these kernels; null for the one that they usually follow
 */
public record LayerExecution(
        Precision precision,
        AttentionKind attention,
        boolean dropout,
        Optimizer optimizer,
        String kernels,
        @Nullable String fp8Recipe) {}
