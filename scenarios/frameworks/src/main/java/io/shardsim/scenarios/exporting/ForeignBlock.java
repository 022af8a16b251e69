package io.shardsim.scenarios.exporting;

import io.shardsim.scenarios.importing.KeyTable;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A nested mapping for a framework's file; its keys are checked against the table by which such files are imported. */
final class ForeignBlock {
    private final KeyTable table;
    private final Settings settings;
    private final Map<String, Object> root = new LinkedHashMap<>();

    /** @param table name of the key table */
    ForeignBlock(String table, Settings settings) {
        this.table = KeyTable.named(table);
        this.settings = settings;
    }

    /** Sets a key, unless the value is null. */
    ForeignBlock put(String path, @Nullable Object value) {
        if (!table.knows(path)) {
            throw new IllegalStateException(path + " is not a documented key of " + table.title());
        }
        if (value != null) {
            insert(path, value);
        }
        return this;
    }

    private void insert(String path, Object value) {
        Map<String, Object> block = root;
        String rest = path;
        for (int dot = rest.indexOf('.'); dot >= 0; dot = rest.indexOf('.')) {
            block = inner(block, rest.substring(0, dot));
            rest = rest.substring(dot + 1);
        }
        block.put(rest, value);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> inner(Map<String, Object> block, String name) {
        return (Map<String, Object>) block.computeIfAbsent(name, key -> new LinkedHashMap<String, Object>());
    }

    /** Sets keys to the values of the scenario keys that the table maps them to, if the strategy has these. */
    ForeignBlock carry(String... paths) {
        for (String path : paths) {
            put(path, carried(path));
        }
        return this;
    }

    /** The value of the scenario key that this key maps to; null if the strategy does not have it. */
    @Nullable
    Object carried(String path) {
        String key = table.sets(path);
        if (key == null) {
            throw new IllegalStateException(path + " of " + table.title() + " sets no scenario key by itself");
        }
        Object value = settings.value(key);
        return value instanceof String text && text.matches("\\d+(\\.\\d+)?") ? new BigDecimal(text) : value;
    }

    Map<String, Object> tree() {
        return root;
    }
}
