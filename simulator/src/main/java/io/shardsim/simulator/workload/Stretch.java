package io.shardsim.simulator.workload;

/**
 * Consecutive equal layers.
 *
 * @param layers number of layers
 */
public record Stretch(LayerKind kind, int layers) {}
