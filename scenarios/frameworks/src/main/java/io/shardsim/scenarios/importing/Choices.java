package io.shardsim.scenarios.importing;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Command-line choices; each is optional.
 *
 * @param name of the scenario
 * @param model name of a catalog model
 * @param accepted keys that decide the answer but are ignored all the same
 */
public record Choices(
        @Nullable String name,
        @Nullable String model,
        @Nullable String instance,
        @Nullable Long nodes,
        @Nullable Long sequenceLength,
        List<String> accepted) {
    public static final Choices NONE = new Choices(null, null, null, null, null, List.of());

    private static final Map<String, String> OPTIONS = Map.of(
            Draft.INSTANCE,
            "--instance NAME",
            Draft.NODES,
            "--nodes N",
            Draft.SEQUENCE,
            "--sequence-length N",
            "model of the catalog",
            "--model NAME");

    /** The command-line option for a key, as part of a remedy; empty if there is none. */
    static String option(KeyTable.@Nullable Entry entry) {
        String option = entry == null ? null : OPTIONS.get(entry.note());
        return option == null ? "" : ", or give " + option;
    }
}
