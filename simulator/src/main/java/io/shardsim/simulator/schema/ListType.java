package io.shardsim.simulator.schema;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Non-empty list of values of a type; read as a List of the valid ones.
 *
 * @param name name of an item in messages
 */
public record ListType(ValueType item, String name) implements ValueType {
    @Override
    public @Nullable Object read(YamlNode node, String key, Problems problems) {
        if (!(node instanceof Sequence list)) {
            return ScalarTypes.refuse(node, key, this, problems);
        }
        if (list.items().isEmpty()) {
            return problems.refuse(list.position(), key + " is an empty list; write " + expected());
        }
        List<Object> read = new ArrayList<>();
        for (YamlNode each : list.items()) {
            Object value = item.read(each, name, problems);
            if (value != null) {
                read.add(value);
            }
        }
        return read;
    }

    @Override
    public String expected() {
        return "a list, each item " + item.expected();
    }

    @Override
    public Map<String, Object> schema() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "array");
        schema.put("items", item.schema());
        schema.put("minItems", 1);
        return schema;
    }
}
