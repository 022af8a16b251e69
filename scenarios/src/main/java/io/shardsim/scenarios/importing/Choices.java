package io.shardsim.scenarios.importing;

import org.jspecify.annotations.Nullable;

/**
 * What the command line says beside the files; each may be left out.
 *
 * @param name of the scenario
 * @param model name of the catalog
 */
public record Choices(
        @Nullable String name,
        @Nullable String model,
        @Nullable String instance,
        @Nullable Long nodes,
        @Nullable Long sequenceLength) {
    public static final Choices NONE = new Choices(null, null, null, null, null);
}
