package io.shardsim.simulator.workload;

/**
 * Equal layers that follow on each other.
 *
 * @param layers how many
 */
public record Stretch(LayerKind kind, int layers) {}
