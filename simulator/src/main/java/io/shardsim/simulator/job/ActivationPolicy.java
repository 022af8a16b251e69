package io.shardsim.simulator.job;

import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Recomputed;

/**
 * What becomes of activations between forward and backward.
 *
 * @param checkpointing which of a checkpointed layer are recomputed in backward
 * @param checkpointedLayers layers that are checkpointed, spread evenly; the others keep everything
 * @param offload whether kept activations wait in host memory
 * @param recomputed what {@link Checkpointing#SELECTIVE} computes again
 */
public record ActivationPolicy(
        Checkpointing checkpointing, int checkpointedLayers, boolean offload, Recomputed recomputed) {
    public ActivationPolicy withCheckpoints(Checkpointing other, int layers) {
        return new ActivationPolicy(other, layers, offload, recomputed);
    }
}
