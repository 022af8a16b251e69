package io.shardsim.scenarios.exporting;

/**
 * A file of a configuration.
 *
 * @param name without folders; what it ends in says its language
 */
public record WrittenFile(String name, String text) {}
