package io.shardsim.scenarios.exporting;

import io.shardsim.scenarios.importing.KeyTable;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A file of a framework as blocks and values, its keys those of the table by which such files are imported. */
final class ForeignBlock {
    private final KeyTable table;
    private final Settings settings;
    private final Map<String, Object> root = new LinkedHashMap<>();

    /** @param table name of the table of keys */
    ForeignBlock(String table, Settings settings) {
        this.table = KeyTable.named(table);
        this.settings = settings;
    }

    /** Sets a key; null leaves it out. */
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

    /** Sets a key to what the scenario says under the key that the table names, where the strategy has it. */
    ForeignBlock carry(String... paths) {
        for (String path : paths) {
            put(path, carried(path));
        }
        return this;
    }

    /** The value of the scenario that this key sets; null where the strategy has none. */
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
