package io.shardsim.simulator.schema;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Key tables, one per kind of block, from a file of the folder {@code schema} on the class path. A key is a row: its type, whether it is required,
 * and its meaning. A new key is a row there, and the class where it takes effect.
 *
 * <p>A type is one of {@link ScalarTypes#of}, {@code block NAME} of the same file, {@code list ITEM TYPE} with the name of an item in messages, or a
 * type name that the caller defines.
 */
public final class KeyFile {
    private static final ValueType TEXT = ScalarTypes.text("(?s).+", "a string");
    private static final BlockType ROW = BlockType.of(
            Key.required("type", TEXT, "what may be written"),
            Key.optional("required", ScalarTypes.flag(), "whether a block must have the key"),
            Key.required("meaning", TEXT, "one sentence for schema and documentation"));
    private final Map<String, Map<String, Block>> blocks;

    private KeyFile(Map<String, Map<String, Block>> blocks) {
        this.blocks = blocks;
    }

    /** Reads the file of a name. */
    public static KeyFile named(String name) {
        return new KeyFile(ShippedFile.read(
                KeyFile.class, "/schema/" + name + ".yaml", new MapType(TEXT, new MapType(TEXT, ROW))));
    }

    /** Returns the keys of a kind of block, in the order of the file. */
    public List<Key> keys(String block) {
        return keys(block, Map.of());
    }

    /** @param types types by the names that the file uses */
    public List<Key> keys(String block, Map<String, ValueType> types) {
        return Objects.requireNonNull(blocks.get(block), block).entrySet().stream()
                .map(row -> key(row.getKey(), row.getValue(), types))
                .toList();
    }

    private Key key(String name, Block row, Map<String, ValueType> types) {
        return new Key(name, type(row.text("type", ""), types), row.flag("required", false), row.text("meaning", ""));
    }

    private ValueType type(String written, Map<String, ValueType> types) {
        ValueType known = types.get(written);
        String[] words = written.split(" ", 3);
        if (words[0].equals("block")) {
            return new BlockType(keys(words[1], types), false);
        }
        if (words[0].equals("list")) {
            return new ListType(type(words[2], types), words[1]);
        }
        return known == null ? ScalarTypes.of(written) : known;
    }
}
