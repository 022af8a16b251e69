package io.shardsim.reports;

import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The keys that a sweep varies, with blocks resolved to single keys, and each run's values. */
public final class SweptKeys {
    private static final String NODES = "cluster.nodes";
    private static final String STRATEGY = "strategy.";

    private final IdentityHashMap<RunResult, Map<String, Object>> values = new IdentityHashMap<>();
    private final List<String> paths;

    private SweptKeys(Collection<RunResult> runs) {
        Set<String> all = new LinkedHashSet<>();
        for (RunResult run : runs) {
            Map<String, Object> point = new LinkedHashMap<>();
            flatten("", run.facts().point(), point);
            values.put(run, point);
            all.addAll(point.keySet());
        }
        paths = all.stream().filter(this::varies).toList();
    }

    public static SweptKeys of(Collection<RunResult> runs) {
        return new SweptKeys(runs);
    }

    private static void flatten(String prefix, Map<?, ?> block, Map<String, Object> into) {
        block.forEach((key, value) -> {
            if (value instanceof Map<?, ?> inner) {
                flatten(prefix + key + ".", inner, into);
            } else {
                into.put(prefix + key, value);
            }
        });
    }

    private boolean varies(String path) {
        Set<@Nullable Object> distinct = new HashSet<>();
        values.values().forEach(point -> distinct.add(point.get(path)));
        return distinct.size() > 1;
    }

    /** Returns dotted keys with more than one value, in file order; absence counts as a value. */
    public List<String> paths() {
        return paths;
    }

    /** Returns the swept settings of strategies. */
    List<String> strategyPaths() {
        return paths.stream().filter(path -> path.startsWith(STRATEGY)).toList();
    }

    /** Returns the other swept keys without the number of nodes, which distinguish runs of one strategy on equally large clusters. */
    public List<String> settingPaths() {
        return paths.stream()
                .filter(path -> !path.startsWith(STRATEGY) && !path.equals(NODES))
                .toList();
    }

    /** Returns a run's value of a key; absent if its block lacks the key. */
    public @Nullable Object value(RunResult run, String path) {
        return values.getOrDefault(run, Map.of()).get(path);
    }

    /** Formats the value for a table column named by its key. */
    public String text(RunResult run, String path) {
        return text(value(run, path));
    }

    private static String text(@Nullable Object value) {
        return value == null ? "-" : value instanceof Boolean on ? (on ? "yes" : "no") : String.valueOf(value);
    }

    /** Returns the key as written in the file, without its block if that is unambiguous. */
    public String name(String path) {
        String tail = tail(path);
        return paths.stream().filter(other -> tail(other).equals(tail)).count() > 1 ? path : tail;
    }

    /** Returns the key in words, with its block if needed to distinguish it. */
    public String inWords(String path) {
        String words = KnownSetting.of(path).inWords();
        return name(path).equals(path) && path.indexOf('.') > 0
                ? path.substring(0, path.indexOf('.')) + " " + words
                : words;
    }

    /** Formats the setting as part of a name, for example {@code flash attention} or {@code micro-batch 4}; empty if the run lacks the key. */
    String words(RunResult run, String path) {
        return words(value(run, path), path);
    }

    private String words(@Nullable Object value, String path) {
        String name = inWords(path);
        if (value == null) {
            return "";
        }
        if (value instanceof Boolean on) {
            return on ? name : name + " off";
        }
        String noun = name(path).equals(tail(path)) ? KnownSetting.of(path).noun() : null;
        if (noun == null) {
            return name + " " + value;
        }
        return noun.isEmpty() ? String.valueOf(value) : (value.equals("none") ? "no" : value) + " " + noun;
    }

    /** Returns a run's value of a key; if its block omits the key, the resolved value, if any. */
    private @Nullable Object resolvedValue(RunResult run, String path) {
        Object value = value(run, path);
        Setting setting = run.facts().setting(path);
        if (value != null || setting == null) {
            return value;
        }
        return switch (setting.value()) {
            case "true" -> true;
            case "false" -> false;
            default -> setting.value().replaceFirst(" (elements|ranks|layers|stages)$", "");
        };
    }

    /** Formats the resolved value in a report's words. */
    public String shown(RunResult run, String path) {
        String text = resolved(run, path);
        return text.equals("-") ? "default" : text;
    }

    /** Formats the resolved value for a table column named by its key. */
    public String resolved(RunResult run, String path) {
        return text(resolvedValue(run, path));
    }

    /** Formats the resolved value as part of a name. */
    String resolvedWords(RunResult run, String path) {
        return words(resolvedValue(run, path), path);
    }

    private static String tail(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }
}
