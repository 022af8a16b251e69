package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A value with the source it was read from: {@code {value: 1555 GB/s, from: data-sheet}}, where {@code from} names an entry of the file's
 * {@code sources}. Read as {@link Block}.
 */
record FigureType(ValueType value) implements ValueType {
    static final ValueType LINE = ScalarTypes.text("(?s).*\\S.*", "a text");

    @Override
    public @Nullable Object read(YamlNode node, String key, Problems problems) {
        BlockType block = BlockType.of(
                Key.required("value", value, "the figure"),
                Key.required(
                        "from", ScalarTypes.text("[a-z0-9][a-z0-9-]*", "the name of a source"), "name of the source"),
                Key.optional("note", LINE, "what a reader should know"));
        return block.readBlock(node, key, problems);
    }

    @Override
    public String expected() {
        return "{value: " + value.expected() + ", from: the name of a source}";
    }

    @Override
    public Map<String, Object> schema() {
        return Map.of("type", "object");
    }

    /** The value as the file has it. */
    static String textOf(Block figure) {
        var entry = figure.entries().get("value");
        return entry != null && entry.value() instanceof YamlNode.Scalar scalar ? scalar.text() : "";
    }
}
