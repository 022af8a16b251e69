package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Type of the {@code sweep} block, which {@link Sweep} removes from the tree before the keys of a point are read. */
record SweepType() implements ValueType {
    @Override
    public Object read(YamlNode node, String key, Problems problems) {
        return node;
    }

    @Override
    public String expected() {
        return "a block of lists such as {cluster.nodes: [2, 4, 8]}";
    }

    @Override
    public Map<String, Object> schema() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("propertyNames", Map.of("pattern", "^" + Sweep.KEY + "$"));
        schema.put("additionalProperties", Map.of("type", "array", "minItems", 1));
        schema.put("examples", List.of(Map.of("cluster.nodes", List.of(2, 4, 8))));
        return schema;
    }
}
