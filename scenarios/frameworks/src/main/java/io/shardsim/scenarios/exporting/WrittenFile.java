package io.shardsim.scenarios.exporting;

/**
 * A configuration file.
 *
 * @param name file name; its extension tells the language
 */
public record WrittenFile(String name, String text) {}
