package io.shardsim.scenarios.api;

/**
 * The progress of an execution.
 *
 * @param share share of the work done, 0 to 1, weighted by cluster size
 * @param text number of finished points, as a phrase
 */
public record Progress(double share, String text) {}
