package io.shardsim.simulator.job;

import io.shardsim.simulator.workload.Checkpointing;

/**
 * What becomes of activations between forward and backward.
 *
 * @param checkpointing which of a checkpointed layer are recomputed in backward
 * @param checkpointedLayers layers that are checkpointed, spread evenly; the others keep everything
 * @param offload whether kept activations wait in host memory
 */
public record ActivationPolicy(Checkpointing checkpointing, int checkpointedLayers, boolean offload) {
    public ActivationPolicy withCheckpoints(Checkpointing other, int layers) {
        return new ActivationPolicy(other, layers, offload);
    }
}
