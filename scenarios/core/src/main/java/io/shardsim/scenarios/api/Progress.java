package io.shardsim.scenarios.api;

/**
 * How far an execution is.
 *
 * @param share of all work that is done, 0 to 1; large clusters count for more
 * @param text how many points are done, for people
 */
public record Progress(double share, String text) {}
