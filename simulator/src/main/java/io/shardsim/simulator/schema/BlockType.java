package io.shardsim.simulator.schema;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Block of known keys; read as {@link Block}.
 *
 * @param open whether other keys are kept for later, since they depend on a value of the block
 * @param expected what to write, for messages
 */
public record BlockType(List<Key> keys, boolean open, String expected) implements ValueType {
    public BlockType {
        keys = List.copyOf(keys);
    }

    public BlockType(List<Key> keys, boolean open) {
        this(
                keys,
                open,
                "a block with " + String.join(", ", keys.stream().map(Key::name).toList()));
    }

    /** Returns this type with an example as the expected text. */
    public BlockType suchAs(String example) {
        return new BlockType(keys, open, "a block such as " + example);
    }

    /** Returns this type with another expected text. */
    public BlockType withExpected(String words) {
        return new BlockType(keys, open, words);
    }

    public static BlockType of(Key... keys) {
        return new BlockType(List.of(keys), false);
    }

    public static BlockType openWith(Key... keys) {
        return new BlockType(List.of(keys), true);
    }

    public List<String> names() {
        return keys.stream().map(Key::name).toList();
    }

    public @Nullable Key key(String name) {
        for (Key key : keys) {
            if (key.name().equals(name)) {
                return key;
            }
        }
        return null;
    }

    @Override
    public @Nullable Object read(YamlNode node, String key, Problems problems) {
        return readBlock(node, key, problems);
    }

    /** Reads a block like {@link #read}; returns null only if the value is not a block. */
    public @Nullable Block readBlock(YamlNode node, String name, Problems problems) {
        Block block = readPart(node, name, problems);
        if (block != null) {
            addMissing(block, problems);
        }
        return block;
    }

    /** Reads a block whose required keys may be in another file; returns null only if the value is not a block. */
    public @Nullable Block readPart(YamlNode node, String name, Problems problems) {
        if (!(node instanceof Mapping mapping)) {
            ScalarTypes.refuse(node, name, this, problems);
            return null;
        }
        Map<String, Object> values = new LinkedHashMap<>();
        Map<String, Entry> entries = new LinkedHashMap<>();
        List<Entry> others = new ArrayList<>();
        for (Entry entry : mapping.entries()) {
            Key key = key(entry.key());
            if (key == null) {
                others.add(entry);
                continue;
            }
            entries.put(entry.key(), entry);
            Object value = key.type().read(entry.value(), key.name(), problems);
            if (value != null) {
                values.put(key.name(), value);
            }
        }
        if (!open) {
            others.forEach(entry -> refuseUnknown(entry, names(), problems));
        }
        return new Block(name, mapping.position(), values, entries, others);
    }

    /** Adds the problems of required keys that a block lacks. */
    public void addMissing(Block block, Problems problems) {
        for (Key key : keys) {
            if (key.required() && !block.has(key.name())) {
                problems.add(
                        block.position(),
                        block.name() + " has no " + key.name() + "; add " + key.name() + ": "
                                + key.type().expected());
            }
            if (key.type() instanceof NamedType named && block.value(key.name()) instanceof Block blocks) {
                named.addMissing(blocks, problems);
            }
        }
    }

    /** Adds the problem of an unknown key. */
    public static void refuseUnknown(Entry entry, List<String> known, Problems problems) {
        Position position = entry.keyPosition();
        String text = YamlReader.printable(entry.key());
        problems.add(position, "unknown key " + text + "; " + Nearest.remedy(entry.key(), known));
    }

    @Override
    public Map<String, Object> schema() {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (Key key : keys) {
            Map<String, Object> property = new LinkedHashMap<>();
            property.put("description", key.meaning());
            property.putAll(key.type().schema());
            properties.put(key.name(), property);
        }
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("properties", properties);
        schema.put("additionalProperties", open);
        return schema;
    }

    @Override
    public Map<String, Object> completeSchema() {
        Map<String, Object> schema = new LinkedHashMap<>();
        List<String> required =
                keys.stream().filter(Key::required).map(Key::name).toList();
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        Map<String, Object> properties = new LinkedHashMap<>();
        for (Key key : keys) {
            Map<String, Object> complete = key.type().completeSchema();
            if (!complete.isEmpty()) {
                properties.put(key.name(), complete);
            }
        }
        if (!properties.isEmpty()) {
            schema.put("properties", properties);
        }
        return schema;
    }
}
