package io.shardsim.simulator.schema;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Blocks of one type under names chosen by the file; read as {@link Block} with a Block per name. */
public record NamedType(BlockType item) implements ValueType {
    @Override
    public @Nullable Object read(YamlNode node, String key, Problems problems) {
        if (!(node instanceof Mapping mapping)) {
            return ScalarTypes.refuse(node, key, this, problems);
        }
        Map<String, Object> values = new LinkedHashMap<>();
        Map<String, Entry> entries = new LinkedHashMap<>();
        for (Entry entry : mapping.entries()) {
            entries.put(entry.key(), entry);
            Block value = item.readPart(entry.value(), entry.key(), problems);
            if (value != null) {
                values.put(entry.key(), value);
            }
        }
        return new Block(key, mapping.position(), values, entries, List.of());
    }

    /** Adds the problems of required keys that the blocks lack. */
    void addMissing(Block named, Problems problems) {
        for (Object value : named.values().values()) {
            if (value instanceof Block block) {
                item.addMissing(block, problems);
            }
        }
    }

    @Override
    public String expected() {
        return "names, each with " + item.expected();
    }

    @Override
    public Map<String, Object> schema() {
        return Map.of("type", "object", "additionalProperties", item.schema());
    }
}
