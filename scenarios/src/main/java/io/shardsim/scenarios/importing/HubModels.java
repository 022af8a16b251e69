package io.shardsim.scenarios.importing;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Models of the catalog by their names on the Hugging Face hub; equal in every figure of the shape. */
final class HubModels {
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("gpt2-xl", "gpt2-1.5b"),
            Map.entry("llama-7b", "llama-7b"),
            Map.entry("llama-2-7b", "llama2-7b"),
            Map.entry("llama-2-13b", "llama2-13b"),
            Map.entry("llama-2-70b", "llama2-70b"),
            Map.entry("llama-3-8b", "llama3-8b"),
            Map.entry("llama-3-70b", "llama3-70b"),
            Map.entry("llama-3.1-8b", "llama3-8b"),
            Map.entry("llama-3.1-70b", "llama3-70b"));

    private HubModels() {}

    /** The name in the catalog of {@code meta-llama/Llama-2-7b-hf} and its like; null for another model. */
    static @Nullable String catalogName(String hub) {
        String last = hub.substring(hub.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
        String plain = last.replaceAll("^meta-", "").replaceAll("(-chat|-instruct|-hf|-base)+$", "");
        return NAMES.get(plain);
    }
}
