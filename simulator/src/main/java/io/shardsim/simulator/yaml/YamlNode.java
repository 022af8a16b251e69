package io.shardsim.simulator.yaml;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A value of a YAML text with its place. */
public sealed interface YamlNode {

    Position position();

    /** How messages call this kind of value. */
    String kind();

    /** A text, number, flag or nothing, as written. */
    record Scalar(Position position, String text, boolean plain) implements YamlNode {
        private static final Pattern NUMBER = Pattern.compile("[-+]?(\\.\\d+|\\d+(\\.\\d*)?)([eE][-+]?\\d+)?");

        /** True for {@code null}, {@code ~} and an empty value. */
        public boolean isNull() {
            return plain && (text.isEmpty() || text.equals("~") || text.equals("null"));
        }

        /** A whole or decimal number by the core schema of YAML 1.2; quoted texts and {@code 1_000} are none. */
        public boolean isNumber() {
            return plain && text.length() <= 40 && NUMBER.matcher(text).matches();
        }

        /** {@code true} or {@code false}; {@code yes}, {@code no}, {@code on} and {@code off} are texts in YAML 1.2. */
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

    /** A list. */
    record Sequence(Position position, List<YamlNode> items) implements YamlNode {
        public Sequence {
            items = List.copyOf(items);
        }

        @Override
        public String kind() {
            return "a list";
        }
    }

    /** Keys and values; each key once. */
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

    /** One key with its place and value. */
    record Entry(String key, Position keyPosition, YamlNode value) {}
}
