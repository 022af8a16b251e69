package io.shardsim.simulator.yaml;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Value of a YAML text with its position. */
public sealed interface YamlNode {

    Position position();

    /** Returns the name of this kind of value in messages. */
    String kind();

    /** String, number, boolean or null, as written. */
    record Scalar(Position position, String text, boolean plain) implements YamlNode {
        private static final Pattern NUMBER = Pattern.compile("[-+]?(\\.\\d+|\\d+(\\.\\d*)?)([eE][-+]?\\d+)?");

        /** Returns whether it is {@code null}, {@code ~} or empty. */
        public boolean isNull() {
            return plain && (text.isEmpty() || text.equals("~") || text.equals("null"));
        }

        /** Returns whether it is an integer or decimal number by the core schema of YAML 1.2; quoted strings and {@code 1_000} are not. */
        public boolean isNumber() {
            return plain && text.length() <= 40 && NUMBER.matcher(text).matches();
        }

        /** Returns whether it is {@code true} or {@code false}; {@code yes}, {@code no}, {@code on} and {@code off} are strings in YAML 1.2. */
        public boolean isFlag() {
            return plain && (text.equals("true") || text.equals("false"));
        }

        @Override
        public String kind() {
            if (isNull()) {
                return "nothing";
            }
            return isNumber() ? "a number" : isFlag() ? "a flag" : "a string";
        }
    }

    /** List. */
    record Sequence(Position position, List<YamlNode> items) implements YamlNode {
        public Sequence {
            items = List.copyOf(items);
        }

        @Override
        public String kind() {
            return "a list";
        }
    }

    /** Keys and values, without duplicate keys. */
    record Mapping(Position position, List<Entry> entries) implements YamlNode {
        public Mapping {
            entries = List.copyOf(entries);
        }

        public @Nullable Entry entry(String key) {
            for (Entry entry : entries) {
                if (entry.key().equals(key)) {
                    return entry;
                }
            }
            return null;
        }

        @Override
        public String kind() {
            return "a block";
        }
    }

    /** Key with its position and value. */
    record Entry(String key, Position keyPosition, YamlNode value) {}
}
