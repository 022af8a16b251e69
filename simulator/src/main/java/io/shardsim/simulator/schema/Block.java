package io.shardsim.simulator.schema;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Parsed block: typed values by key, with their positions. A refused value is absent, but its entry is present.
 *
 * @param name name in messages
 * @param others entries with keys that an open type keeps for later, in order
 */
public record Block(
        String name, Position position, Map<String, Object> values, Map<String, Entry> entries, List<Entry> others) {

    /**
     * Returns this block plus the keys that only the other one has; blocks in both are merged recursively. Keys that only this one has come first,
     * then the other's in its order.
     */
    public Block over(Block base) {
        return new Block(
                name,
                position,
                joined(
                        values,
                        base.values,
                        (mine, theirs) ->
                                mine instanceof Block own && theirs instanceof Block under ? own.over(under) : mine),
                joined(entries, base.entries, (mine, theirs) -> mine),
                others);
    }

    private static <T> Map<String, T> joined(Map<String, T> own, Map<String, T> base, BinaryOperator<T> both) {
        Map<String, T> all = new LinkedHashMap<>(own);
        all.keySet().removeAll(base.keySet());
        base.forEach((key, theirs) -> {
            T mine = own.get(key);
            all.put(key, mine == null ? theirs : both.apply(mine, theirs));
        });
        return all;
    }

    /** Returns whether the file has this key, valid or not. */
    public boolean has(String key) {
        return entries.containsKey(key);
    }

    /** Returns the position of a key's value; the block's own if the key is absent. */
    public Position at(String key) {
        Entry entry = entries.get(key);
        return entry == null ? position : entry.value().position();
    }

    /** Returns the position of a key; the block's own if the key is absent. */
    public Position keyAt(String key) {
        Entry entry = entries.get(key);
        return entry == null ? position : entry.keyPosition();
    }

    public @Nullable String text(String key) {
        return (String) values.get(key);
    }

    public String text(String key, String otherwise) {
        String value = text(key);
        return value == null ? otherwise : value;
    }

    public @Nullable Long whole(String key) {
        return (Long) values.get(key);
    }

    public long whole(String key, long otherwise) {
        Long value = whole(key);
        return value == null ? otherwise : value;
    }

    public @Nullable Double decimal(String key) {
        return (Double) values.get(key);
    }

    public double decimal(String key, double otherwise) {
        Double value = decimal(key);
        return value == null ? otherwise : value;
    }

    public boolean flag(String key, boolean otherwise) {
        Boolean value = (Boolean) values.get(key);
        return value == null ? otherwise : value;
    }

    public @Nullable Block block(String key) {
        return values.get(key) instanceof Block block ? block : null;
    }

    /** Returns a list of the key table's item type; empty if the key is absent. */
    @SuppressWarnings("unchecked")
    public <T> List<T> list(String key) {
        return values.get(key) instanceof List<?> list ? (List<T>) list : List.of();
    }

    /** Returns values by name, of the key table's type; empty if the key is absent. */
    @SuppressWarnings("unchecked")
    public <T> Map<String, T> map(String key) {
        return values.get(key) instanceof Map<?, ?> map ? (Map<String, T>) map : Map.of();
    }

    public @Nullable Object value(String key) {
        return values.get(key);
    }
}
