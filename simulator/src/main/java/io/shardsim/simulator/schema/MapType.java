package io.shardsim.simulator.schema;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values of one type under names chosen by the file; read as a Map of the valid ones, in the order of the file.
 *
 * @param name type of the names, read as a string
 */
public record MapType(ValueType name, ValueType item) implements ValueType {
    @Override
    public @Nullable Object read(YamlNode node, String key, Problems problems) {
        if (!(node instanceof Mapping mapping)) {
            return ScalarTypes.refuse(node, key, this, problems);
        }
        Map<String, Object> values = new LinkedHashMap<>();
        for (Entry entry : mapping.entries()) {
            Object chosen = name.read(new Scalar(entry.keyPosition(), entry.key(), false), "key", problems);
            Object value = item.read(entry.value(), entry.key(), problems);
            if (chosen != null && value != null) {
                values.put(entry.key(), value);
            }
        }
        return values;
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
