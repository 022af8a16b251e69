package io.shardsim.reports;

/**
 * A warning about a run.
 *
 * @param text what is so, with its figures
 */
public record Message(MessageCode code, String text) {}
