package io.shardsim.simulator.schema;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Non-empty list of values of a type, or a single value; read as List either way.
 *
 * @param name name of an item in messages
 */
public record OneOrListType(ValueType item, String name) implements ValueType {
    private ListType list() {
        return new ListType(item, name);
    }

    @Override
    public @Nullable Object read(YamlNode node, String key, Problems problems) {
        if (node instanceof YamlNode.Sequence) {
            return list().read(node, key, problems);
        }
        Object value = item.read(node, key, problems);
        return value == null ? null : List.of(value);
    }

    @Override
    public String expected() {
        return item.expected() + ", or a list of them";
    }

    @Override
    public Map<String, Object> schema() {
        return Map.of("anyOf", List.of(item.schema(), list().schema()));
    }
}
