package io.shardsim.simulator.kernel;

/**
 * Other logical processes of a run, and the regions within this one.
 *
 * <p>A region is a set of devices that affect others only through their outbound ports, such as a node. Each region has its own event lists and runs
 * through a window alone, so its devices stay in the cache and its lists short.
 *
 * @param exchange synchronizes with the others at the end of each window
 * @param lookahead minimum delay until one region can affect another
 * @param crossing serializes messages
 * @param regions number of regions of this logical process
 * @param regionOfDevice region index by device ID
 */
public record Neighbours(
        WindowExchange exchange, Lookahead lookahead, Crossing crossing, int regions, int[] regionOfDevice) {}
