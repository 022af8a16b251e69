package io.shardsim.scenarios.importing;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Known names; the resource {@code importing/known.yaml}. Loaded when a file is first imported. */
final class Known {
    private static final Block FILE = KeyTable.block("known", "known");
    /** A key in YAML, JSON, Python or TOML, or a TOML section. */
    private static final Pattern KEY = Pattern.compile(
            "(?m)(?:^[ \\t\\-\"']*+|[{,(]\\s*+[\"']?)([A-Za-z_][\\w.-]*+)[\"']?[ \\t]*+[:=](?!=)|^\\[+([\\w.-]++)]+\\s*$");
    /** Minimum number of keys to recognize a kind. */
    private static final int KEYS_MIN = 2;

    private Known() {}

    /**
     * The message for a file of a kind that cannot be imported; null for other texts.
     *
     * @param python whether it is a script; more kinds of scripts can be imported
     */
    static @Nullable String unread(String text, boolean python) {
        return unread(keys(text), "", python);
    }

    /** Like {@link #unread(String, boolean)}, for a script's arguments and its text in lower case. */
    static @Nullable String unread(Mapping arguments, String script) {
        Stream<String> names =
                arguments.entries().stream().map(entry -> entry.key().replace('-', '_'));
        return unread(names.collect(Collectors.toSet()), script, true);
    }

    private static @Nullable String unread(Set<String> found, String script, boolean scripts) {
        Block kind = null;
        long most = KEYS_MIN - 1;
        for (Block each : FILE.<Block>list("files")) {
            long runs =
                    each.<String>list("runs").stream().filter(script::contains).count();
            long count = each.list("keys").stream().filter(found::contains).count() + KEYS_MIN * runs;
            if (count > most) {
                kind = each;
                most = count;
            }
        }
        return kind == null || !scripts && kind.flag("scripts", false)
                ? null
                : "is " + kind.text("title")
                        + ", which cannot be read; pass the config.json of its model and its DeepSpeed or "
                        + "Accelerate configuration, " + kind.text("instead", "or write a scenario by hand");
    }

    private static Set<String> keys(String text) {
        Set<String> keys = new HashSet<>();
        Matcher matcher = KEY.matcher(text);
        while (matcher.find()) {
            String key = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
            keys.addAll(List.of(key.toLowerCase(Locale.ROOT).replace('-', '_').split("\\.")));
        }
        return keys;
    }

    /** Properties of each supported model_type. */
    static Map<String, Block> kinds() {
        return FILE.map("kinds");
    }

    /** Why a model_type is not modelled; null if unknown. */
    static @Nullable String whyNotModelled(String type) {
        return FILE.<List<String>>map("models").entrySet().stream()
                .filter(other -> other.getValue().stream().anyMatch(type::matches))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    /** Why a script with this call is rejected; null if the call can be ignored. */
    static @Nullable String whyNotRead(String call) {
        return FILE.<List<String>>map("calls").entrySet().stream()
                .filter(each -> each.getValue().stream().anyMatch(call::matches))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    /** A layer matrix by its scenario name; unknown names are unchanged. */
    static String module(String name) {
        return FILE.<String>map("modules").getOrDefault(name, name);
    }

    /** Vocabulary size of a tokenizer or model; null if unknown. */
    static @Nullable Long vocabulary(@Nullable String name) {
        return name == null ? null : FILE.<Long>map("vocabularies").get(name.toLowerCase(Locale.ROOT));
    }

    /** Variables that Slurm sets to the number in an option. */
    static List<String> ofSlurm(String option) {
        return List.of(FILE.<String>map("slurm").getOrDefault(option, option).split(" "));
    }

    /** Whether a file at this path may contain another vocabulary than the tokenizer's own. */
    static boolean isOtherVocabulary(@Nullable String tokenizer, String path) {
        String own = FILE.<String>map("vocabulary_files")
                .get(String.valueOf(tokenizer).toLowerCase(Locale.ROOT));
        return own != null && !Pattern.compile("(?i)" + own).matcher(path).find();
    }
}
