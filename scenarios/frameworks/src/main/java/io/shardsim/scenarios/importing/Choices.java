package io.shardsim.scenarios.importing;

import java.util.List;
import java.util.Map;
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

    private static final Map<String, String> OPTIONS = Map.of(
            Draft.INSTANCE,
            "--instance NAME",
            Draft.NODES,
            "--nodes N",
            Draft.SEQUENCE,
            "--sequence-length N",
            "model of the catalog",
            "--model NAME");

    /** The option that gives what a key says, as the other half of a remedy; empty where there is none. */
    static String option(KeyTable.@Nullable Entry entry) {
        String option = entry == null ? null : OPTIONS.get(entry.note());
        return option == null ? "" : ", or give " + option;
    }
}
