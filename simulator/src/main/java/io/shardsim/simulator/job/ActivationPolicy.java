package io.shardsim.simulator.job;

import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Recomputed;

/**
 * Treatment of activations between forward and backward.
 *
 * @param checkpointing activations of a checkpointed layer that are recomputed in backward
 * @param checkpointedLayers layers that are checkpointed, spread evenly; the others keep everything
 * @param offload whether saved activations are offloaded to host memory
 * @param recomputed what {@link Checkpointing#SELECTIVE} recomputes
 */
public record ActivationPolicy(
        Checkpointing checkpointing, int checkpointedLayers, boolean offload, Recomputed recomputed) {
    public ActivationPolicy withCheckpoints(Checkpointing other, int layers) {
        return new ActivationPolicy(other, layers, offload, recomputed);
    }
}
