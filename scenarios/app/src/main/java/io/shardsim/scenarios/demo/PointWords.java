package io.shardsim.scenarios.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Descriptions of a sweep's points by their values. */
final class PointWords {
    private static final String KIND = "kind";
    private static final String STRATEGY = "strategy";

    private PointWords() {}

    /** Lists every value, for example {@code nodes 8, mics, shard group 64}; empty without a sweep. */
    static String of(Map<String, ?> values) {
        List<String> parts = new ArrayList<>();
        values.forEach((key, value) -> parts.add(words(key, value)));
        return String.join(", ", parts);
    }

    /**
     * Returns a point's swept values with some changed: a new strategy replaces all swept values of the old one.
     *
     * @param changes YAML values by dotted key
     */
    static Map<String, Object> changed(Map<String, ?> values, Map<String, String> changes) {
        Map<String, Object> out = new LinkedHashMap<>(values);
        changes.forEach((key, value) -> {
            String inner = key.substring(key.indexOf('.') + 1);
            if (key.equals(STRATEGY)) {
                out.keySet().removeIf(each -> each.startsWith(STRATEGY));
                out.put(key, Map.of(KIND, value.replaceAll("[{}]|kind: ", "")));
            } else if (out.get(key.substring(0, key.length() - inner.length() - 1)) instanceof Map<?, ?> block) {
                Map<Object, Object> own = new LinkedHashMap<>(block);
                own.put(inner, value);
                out.put(STRATEGY, own);
            } else {
                out.put(key, value);
            }
        });
        return out;
    }

    /** Returns each point's distinguishing description: omits entries that a block has at every point, except its kind. */
    static List<String> distinct(List<Map<String, Object>> points) {
        return points.stream().map(values -> of(distinct(values, points))).toList();
    }

    private static Map<String, Object> distinct(Map<String, Object> values, List<Map<String, Object>> points) {
        Map<String, Object> own = new LinkedHashMap<>();
        values.forEach((key, value) -> own.put(
                key,
                value instanceof Map<?, ?> block
                        ? withoutShared(
                                block,
                                points.stream().map(each -> each.get(key)).toList())
                        : value));
        return own;
    }

    private static Map<?, ?> withoutShared(Map<?, ?> block, List<?> others) {
        Map<Object, Object> own = new LinkedHashMap<>();
        block.forEach((key, value) -> {
            if (key.equals(KIND) || !others.stream().allMatch(other -> has(other, key, value))) {
                own.put(key, value);
            }
        });
        return own.isEmpty() ? block : own;
    }

    private static boolean has(Object other, Object key, Object value) {
        return other instanceof Map<?, ?> block && Objects.equals(block.get(key), value);
    }

    private static String words(String key, Object value) {
        String last = key.substring(key.lastIndexOf('.') + 1)
                .replace('_', ' ')
                .replaceAll("\\bgpu\\b", "GPU")
                .replaceAll("\\bnic\\b", "NIC");
        if (value instanceof Map<?, ?> block) {
            return String.join(
                    ", ",
                    block.entrySet().stream()
                            .map(entry -> words(entry.getKey().toString(), entry.getValue()))
                            .toList());
        }
        if (String.valueOf(value).matches("true|false")) {
            return (String.valueOf(value).equals("true") ? "with " : "without ") + last;
        }
        boolean speaksForItself = last.equals(KIND) || last.equals("algorithm") || last.equals("size");
        return speaksForItself ? String.valueOf(value) : last + " " + value;
    }
}
