package io.shardsim.scenarios.importing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the command line says beside the files; each may be left out.
 *
 * @param name of the scenario
 * @param model name of the catalog
 * @param accepted keys that decide the answer and are to be left out all the same
 */
public record Choices(
        @Nullable String name,
        @Nullable String model,
        @Nullable String instance,
        @Nullable Long nodes,
        @Nullable Long sequenceLength,
        List<String> accepted) {
    public static final Choices NONE = new Choices(null, null, null, null, null, List.of());
}
