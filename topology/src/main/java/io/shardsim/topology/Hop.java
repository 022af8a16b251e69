package io.shardsim.topology;

/**
 * Traversal of one link of a route.
 *
 * @param deviceId transmitting device
 * @param port index of that output port in the device
 */
public record Hop(int deviceId, int port, Link link) {}
