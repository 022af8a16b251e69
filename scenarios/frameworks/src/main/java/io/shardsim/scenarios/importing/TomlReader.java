package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/** Reads TOML 1.0 into values with positions. */
final class TomlReader {
    private TomlReader() {}

    /** The content of the text; null after a problem. */
    static @Nullable Mapping read(String text, Problems problems) {
        if (nests(text)) {
            return problems.refuse(
                    Position.START, "is nested deeper than " + YamlReader.DEPTH_MAX + " levels; write it flatter");
        }
        TomlParseResult result = Toml.parse(text);
        result.errors()
                .forEach(error -> problems.add(
                        place(error.position()), YamlReader.printable(String.valueOf(error.getMessage()))));
        return result.hasErrors() ? null : block(result, Position.START);
    }

    /** Whether brackets or dots are nested too deeply for the parser, which is recursive. */
    private static boolean nests(String text) {
        return text.lines()
                        .anyMatch(line -> line.chars()
                                        .filter(letter -> letter == '[' || letter == '{' || letter == '.')
                                        .count()
                                > YamlReader.DEPTH_MAX)
                || depth(text) > YamlReader.DEPTH_MAX;
    }

    private static int depth(String text) {
        int depth = 0;
        int most = 0;
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            depth += letter == '[' || letter == '{' ? 1 : letter == ']' || letter == '}' ? -1 : 0;
            most = Math.max(most, depth);
        }
        return most;
    }

    private static Mapping block(TomlTable table, Position position) {
        List<Entry> entries = new ArrayList<>();
        for (String key : table.keySet()) {
            List<String> path = List.of(key);
            TomlPosition at = table.inputPositionOf(path);
            Position place = at == null ? position : place(at);
            entries.add(new Entry(key, place, node(table.get(path), place)));
        }
        return new Mapping(position, entries);
    }

    private static YamlNode node(@Nullable Object value, Position position) {
        if (value instanceof TomlTable table) {
            return block(table, position);
        }
        if (value instanceof TomlArray array) {
            List<YamlNode> items = new ArrayList<>();
            for (int i = 0; i < array.size(); i++) {
                items.add(node(array.get(i), place(array.inputPositionOf(i))));
            }
            return new Sequence(position, items);
        }
        return new Scalar(position, String.valueOf(value), !(value instanceof String));
    }

    private static Position place(@Nullable TomlPosition position) {
        return position == null ? Position.START : new Position(position.line(), position.column());
    }
}
