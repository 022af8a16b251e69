package io.shardsim.simulator.schema;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Name, or the definition inline as a block. */
public record EitherType(ValueType name, BlockType block) implements ValueType {
    @Override
    public @Nullable Object read(YamlNode node, String key, Problems problems) {
        if (node instanceof YamlNode.Mapping) {
            return block.read(node, key, problems);
        }
        if (node instanceof YamlNode.Sequence || node instanceof YamlNode.Scalar scalar && scalar.isNull()) {
            return ScalarTypes.refuse(node, key, this, problems);
        }
        return name.read(node, key, problems);
    }

    @Override
    public String expected() {
        return name.expected() + ", or " + block.expected();
    }

    @Override
    public Map<String, Object> schema() {
        return Map.of("anyOf", List.of(name.schema(), block.schema()));
    }

    @Override
    public Map<String, Object> completeSchema() {
        Map<String, Object> condition = new LinkedHashMap<>();
        condition.put("if", Map.of("type", "object"));
        condition.put("then", block.completeSchema());
        return condition;
    }
}
