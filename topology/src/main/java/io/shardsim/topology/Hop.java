package io.shardsim.topology;

/**
 * One link traversal of a route.
 *
 * @param deviceId device whose output port transmits
 * @param port index of that output port in the device
 */
public record Hop(int deviceId, int port, Link link) {}
