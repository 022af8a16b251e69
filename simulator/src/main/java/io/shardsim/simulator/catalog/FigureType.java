package io.shardsim.simulator.catalog;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Value with its source: {@code {value: 1555 GB/s, from: data-sheet}}, where {@code from} names an entry of the file's {@code sources}. Read as
 * {@link Block}.
 */
public record FigureType(ValueType value) implements ValueType {
    public static final ValueType LINE = ScalarTypes.text("(?s).*\\S.*", "a string");

    @Override
    public @Nullable Object read(YamlNode node, String key, Problems problems) {
        BlockType block = BlockType.of(
                Key.required("value", new CalledLikeItsFigure(value, key), "the figure"),
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

    /** Returns the value as written in the file. */
    static String textOf(Block figure) {
        var entry = figure.entries().get("value");
        return entry == null ? "" : textOf(entry.value());
    }

    private static String textOf(YamlNode node) {
        if (node instanceof YamlNode.Scalar scalar) {
            return scalar.text();
        }
        if (node instanceof YamlNode.Sequence list) {
            return list.items().stream().map(FigureType::textOf).collect(Collectors.joining(", "));
        }
        return ((YamlNode.Mapping) node)
                .entries().stream()
                        .map(entry -> entry.key() + " " + textOf(entry.value()))
                        .collect(Collectors.joining(", ", "{", "}"));
    }

    /** Value that messages call by the name of its figure. */
    private record CalledLikeItsFigure(ValueType type, String figure) implements ValueType.Like {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            return type.read(node, figure, problems);
        }
    }
}
