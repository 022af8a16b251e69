package io.shardsim.scenarios.importing;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A scenario imported from framework files.
 *
 * @param text the scenario file, YAML
 * @param tree its content
 * @param keys verdicts on every key of every file, in order
 * @param assumptions values that no file states
 * @param titles kind of each file, by file name
 */
public record Imported(
        String text,
        Map<String, Object> tree,
        List<KeyVerdict> keys,
        List<Assumption> assumptions,
        Map<String, String> titles) {
    public Imported {
        tree = Collections.unmodifiableMap(new LinkedHashMap<>(tree));
        keys = List.copyOf(keys);
        assumptions = List.copyOf(assumptions);
        titles = Collections.unmodifiableMap(new LinkedHashMap<>(titles));
    }

    /**
     * A value that no file states.
     *
     * @param key dotted scenario key
     * @param note the reason, and how to change it
     */
    public record Assumption(String key, Object value, String note) {}
}
