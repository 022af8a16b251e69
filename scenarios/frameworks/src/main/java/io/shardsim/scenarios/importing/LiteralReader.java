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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON and Python literals: dicts, lists, tuples, strings, numbers, {@code True}, {@code None}, names assigned earlier, and calls such as
 * {@code PyTorch(instance_count=2, ...)}, whose named arguments are read as a mapping. Nothing is executed.
 *
 * <p>JSON is a subset of YAML except for its tabs and escapes; Python's quotes are not YAML. One reader for both gives consistent messages. Limits
 * are those of {@link YamlReader}.
 */
final class LiteralReader {
    private final LiteralScanner in;
    private final Problems problems;
    private final Origins origins;
    /** Values of assigned names. */
    private final Map<String, YamlNode> set = new LinkedHashMap<>();
    /** Names used in a later value, which then contains their keys. */
    private final List<String> used = new ArrayList<>();

    private int depth;
    private int values;

    private LiteralReader(String text, Origins origins, Problems problems) {
        this.origins = origins;
        this.in = new LiteralScanner(text);
        this.problems = problems;
    }

    /** Reading failed; the message says why. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final transient Position position;

        Refused(Position position, String message) {
            super(message, null, false, false);
            this.position = position;
        }
    }

    /** The value of the text, or the names that it assigns as a mapping; null after a problem. */
    static @Nullable YamlNode read(String text, Origins origins, Problems problems) {
        try {
            return new LiteralReader(text, origins, problems).document();
        } catch (Refused refused) {
            return problems.refuse(refused.position, String.valueOf(refused.getMessage()));
        }
    }

    private YamlNode document() {
        Position start = in.position();
        YamlNode last = null;
        in.skipLines();
        while (!in.atEnd()) {
            if (in.takeWord("import") || in.takeWord("from")) {
                in.skipLine();
            } else {
                last = statement();
            }
            in.skipLines();
        }
        List<Entry> entries = new ArrayList<>();
        set.forEach((name, value) -> {
            if (!used.contains(name)) {
                entries.add(new Entry(name, value.position(), value));
            }
        });
        return entries.isEmpty() && last != null ? last : new Mapping(start, entries);
    }

    private YamlNode statement() {
        Position start = in.position();
        String name = in.nameBeforeEquals();
        if (name == null) {
            YamlNode value = value();
            if (!in.atEndOfStatement()) {
                throw unexpected("the end of the text");
            }
            if (!set.isEmpty()) {
                set.putIfAbsent("line " + start.line(), value);
            }
            return value;
        }
        YamlNode value = value();
        if (!in.atEndOfStatement()) {
            throw unexpected("the end of the line");
        }
        if (set.put(name, value) != null) {
            problems.add(start, "key " + YamlReader.printable(name) + " is given twice; keep one");
        }
        return value;
    }

    private Refused unexpected(String wanted) {
        String found = in.atEnd() ? "the text ends" : "found " + in.printableNext();
        return new Refused(in.position(), found + " where " + wanted + " belongs");
    }

    private YamlNode value() {
        if (++values > YamlReader.VALUES_MAX) {
            throw new Refused(
                    in.position(), "holds more than " + YamlReader.VALUES_MAX + " values; write fewer of them");
        }
        if (depth >= YamlReader.DEPTH_MAX) {
            throw new Refused(
                    in.position(), "is nested deeper than " + YamlReader.DEPTH_MAX + " levels; write it flatter");
        }
        in.skipBlanks();
        Position start = in.position();
        depth++;
        YamlNode value = switch (in.peek()) {
            case '{' -> block(start);
            case '[' -> list(start, ']');
            case '(' -> list(start, ')');
            case '"', '\'' -> new Scalar(start, in.texts(), false);
            default -> in.isNumberNext() ? new Scalar(start, in.number(), true) : named(start);
        };
        depth--;
        in.skipBlanks();
        return value;
    }

    private YamlNode block(Position start) {
        in.take('{');
        List<Entry> entries = new ArrayList<>();
        Map<String, Position> places = new HashMap<>();
        while (!in.tryTake('}')) {
            Position place = in.position();
            YamlNode key = value();
            if (!in.tryTake(':')) {
                throw unexpected("a colon after the key");
            }
            if (key instanceof Scalar scalar) {
                add(entries, places, scalar.text(), place, value());
            } else {
                problems.add(place, "a key is " + key.kind() + "; write a name");
                value();
            }
            separator('}');
        }
        return new Mapping(start, entries);
    }

    private void add(List<Entry> entries, Map<String, Position> places, String key, Position place, YamlNode value) {
        Position first = places.putIfAbsent(key, place);
        if (first == null) {
            entries.add(new Entry(key, place, value));
        } else {
            problems.add(
                    place,
                    "key " + YamlReader.printable(key) + " is given twice, first in line " + first.line()
                            + "; keep one");
        }
    }

    private void separator(char end) {
        if (!in.tryTake(',') && in.peek() != end) {
            throw unexpected("a comma or " + end);
        }
    }

    private YamlNode list(Position start, char end) {
        in.take(in.peek());
        List<YamlNode> items = new ArrayList<>();
        while (!in.tryTake(end)) {
            items.add(value());
            separator(end);
        }
        return new Sequence(start, items);
    }

    /** A keyword, an assigned name, or a call. */
    private YamlNode named(Position start) {
        String name = in.name();
        if (name.isEmpty()) {
            throw unexpected("a value");
        }
        if (in.peek() == '(') {
            return call(start, name);
        }
        switch (name) {
            case "true", "True":
                return new Scalar(start, "true", true);
            case "false", "False":
                return new Scalar(start, "false", true);
            case "null", "None":
                return new Scalar(start, "null", true);
            default:
                YamlNode known = set.get(name);
                if (known == null) {
                    return origins.unknown(start, name);
                }
                used.add(name);
                values += known instanceof Scalar ? 0 : size(known);
                return known;
        }
    }

    /** Size of a value, to limit the expansion of names. */
    private int size(YamlNode node) {
        int size = 1;
        if (node instanceof Mapping block) {
            for (Entry entry : block.entries()) {
                size += size(entry.value());
            }
        } else if (node instanceof Sequence list) {
            for (YamlNode item : list.items()) {
                size += size(item);
            }
        }
        return size;
    }

    /** The named arguments as a mapping; a single positional argument, as in {@code int(5e8)}, as itself. */
    private YamlNode call(Position start, String function) {
        in.take('(');
        List<Entry> entries = new ArrayList<>();
        Map<String, Position> places = new HashMap<>();
        YamlNode only = null;
        while (!in.tryTake(')')) {
            Position place = in.position();
            String name = in.nameBeforeEquals();
            YamlNode value = value();
            if (name != null) {
                add(entries, places, name, place, value);
            } else {
                only = value;
            }
            separator(')');
        }
        if (!entries.isEmpty()) {
            return new Mapping(start, entries);
        }
        return only != null ? only : origins.unknown(start, function + "()");
    }
}
