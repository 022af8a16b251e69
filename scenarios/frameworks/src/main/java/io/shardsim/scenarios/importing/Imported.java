package io.shardsim.scenarios.importing;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A scenario made from files of frameworks.
 *
 * @param text the scenario file, YAML
 * @param tree the same as blocks and values
 * @param keys what became of every key of every file, in their order
 * @param assumptions what no file says
 * @param titles the kind of each file, by its name
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
     * A value that nothing says.
     *
     * @param key dotted, as in a scenario
     * @param note why this one, and what changes it
     */
    public record Assumption(String key, Object value, String note) {}
}
