package io.shardsim.reports;

/**
 * A warning about a run.
 *
 * @param text the finding, with its figures
 */
public record Message(MessageCode code, String text) {}
