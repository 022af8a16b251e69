package io.shardsim.scenarios.fuzz;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A scenario's text as maps, lists and strings that can be changed, and back. */
final class ScenarioTree {
    private final Map<String, Object> root;

    private ScenarioTree(Map<String, Object> root) {
        this.root = root;
    }

    /** Parses a text; empty if it is not a block. */
    static Optional<ScenarioTree> of(String text) {
        YamlNode node = YamlReader.readText(text, new Problems("fuzzed"));
        return node instanceof YamlNode.Mapping mapping
                ? Optional.of(new ScenarioTree(block(mapping)))
                : Optional.empty();
    }

    private static Map<String, Object> block(YamlNode.Mapping mapping) {
        Map<String, Object> block = new LinkedHashMap<>();
        mapping.entries().forEach(entry -> block.put(entry.key(), value(entry.value())));
        return block;
    }

    private static Object value(YamlNode node) {
        if (node instanceof YamlNode.Mapping mapping) {
            return block(mapping);
        }
        if (node instanceof YamlNode.Sequence sequence) {
            List<Object> items = new ArrayList<>();
            sequence.items().forEach(item -> items.add(value(item)));
            return items;
        }
        return ((YamlNode.Scalar) node).text();
    }

    Map<String, Object> root() {
        return root;
    }

    /** Returns a block of the root; null if there is none. */
    @SuppressWarnings("unchecked")
    @Nullable
    Map<String, Object> block(String name) {
        return root.get(name) instanceof Map<?, ?> map ? (Map<String, Object>) map : null;
    }

    /** Returns a block of the root, created if there is none. */
    Map<String, Object> madeBlock(String name) {
        Map<String, Object> block = block(name);
        if (block == null) {
            block = new LinkedHashMap<>();
            root.put(name, block);
        }
        return block;
    }

    ScenarioTree copy() {
        return of(text()).orElseThrow();
    }

    /** Returns one line per block. */
    String text() {
        StringBuilder text = new StringBuilder();
        root.forEach((key, value) -> {
            text.append(quoted(key)).append(": ");
            write(value, text);
            text.append('\n');
        });
        return text.toString();
    }

    private static void write(Object value, StringBuilder text) {
        if (value instanceof Map<?, ?> map) {
            text.append('{');
            String comma = "";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                text.append(comma).append(quoted((String) entry.getKey())).append(": ");
                write(entry.getValue(), text);
                comma = ", ";
            }
            text.append('}');
        } else if (value instanceof List<?> list) {
            text.append('[');
            String comma = "";
            for (Object item : list) {
                text.append(comma);
                write(item, text);
                comma = ", ";
            }
            text.append(']');
        } else {
            text.append(quoted((String) value));
        }
    }

    private static String quoted(String scalar) {
        if (scalar.matches("[A-Za-z0-9+.-]([A-Za-z0-9 ._/%+-]*[A-Za-z0-9._/%+-])?")) {
            return scalar;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < scalar.length(); i++) {
            char letter = scalar.charAt(i);
            if (letter == '"' || letter == '\\') {
                quoted.append('\\').append(letter);
            } else if (letter < ' ' || letter == 127) {
                quoted.append(String.format("\\x%02x", (int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append('"').toString();
    }
}
