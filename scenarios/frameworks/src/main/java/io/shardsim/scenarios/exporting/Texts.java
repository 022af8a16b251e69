package io.shardsim.scenarios.exporting;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/** Writes nested mappings in the file formats of frameworks. */
final class Texts {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .defaultPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")))
            .build();
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
            .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
            .build();

    private Texts() {}

    static String json(Map<String, Object> tree) {
        return JSON.writeValueAsString(tree) + "\n";
    }

    static String yaml(Map<String, Object> tree) {
        return YAML.writeValueAsString(tree);
    }

    /** Writes plain values of a mapping before its nested ones, which are sections. */
    static String toml(Map<?, ?> tree, String section) {
        StringBuilder text = new StringBuilder();
        tree.forEach((key, value) -> {
            if (!(value instanceof Map)) {
                text.append(key)
                        .append(" = ")
                        .append(JSON.writeValueAsString(value))
                        .append('\n');
            }
        });
        if (!text.isEmpty() && !section.isEmpty()) {
            text.insert(0, "[" + section + "]\n").append('\n');
        }
        tree.forEach((key, value) -> {
            if (value instanceof Map<?, ?> block) {
                text.append(toml(block, section.isEmpty() ? String.valueOf(key) : section + "." + key));
            }
        });
        return text.toString();
    }

    /** A Python literal, with nested mappings on separate lines. */
    static String python(Object value, String indent) {
        if (value instanceof Map<?, ?> block) {
            List<String> lines = new ArrayList<>();
            block.forEach(
                    (key, inner) -> lines.add(indent + "    \"" + key + "\": " + python(inner, indent + "    ") + ","));
            return "{\n" + String.join("\n", lines) + "\n" + indent + "}";
        }
        if (value instanceof Boolean flag) {
            return flag ? "True" : "False";
        }
        return value instanceof Number ? String.valueOf(value) : "\"" + value + "\"";
    }
}
