package io.shardsim.simulator.schema;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlReader;
import io.shardsim.topology.units.Picoseconds;
import io.shardsim.topology.units.QuantityException;
import io.shardsim.topology.units.UnitTable;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Types of values other than blocks and lists. */
public final class ScalarTypes {
    /** Maximum rate, a petabyte per second: a thousand times any link's, and the sum over all ports of a node still fits in a long. */
    private static final long RATE_MAX = 1_000_000_000_000_000L;

    private ScalarTypes() {}

    /** Returns the type of a string that matches a pattern; read as String. */
    public static ValueType text(String pattern, String expected) {
        return new Text(Pattern.compile(pattern), expected);
    }

    /** Returns the type of one of some words; read as String. */
    public static ValueType choice(String... words) {
        return new Choice(List.of(words));
    }

    /** Returns the type of one of some words; read as String. */
    public static ValueType choice(List<String> words) {
        return new Choice(List.copyOf(words));
    }

    /** Returns the type of one of some values, written by their words; read as String. */
    public static <E> ValueType choice(E[] values, Function<E, String> word) {
        return choice(Arrays.stream(values).map(word).toList());
    }

    /** Returns the type of a bounded integer, {@code 5e8} included; read as Long. */
    public static ValueType whole(long min, long max) {
        return new Whole(min, max);
    }

    /** Returns the type of a bounded integer, optionally followed by a word for the unit counted; read as Long. */
    public static ValueType counted(long min, long max, String... words) {
        return new Counted(new Whole(min, max), List.of(words));
    }

    /** Returns the type of a bounded decimal number; read as Double. */
    public static ValueType decimal(double min, double max) {
        return new Decimal(min, max);
    }

    /** Returns the type of a decimal number above 0; read as Double. */
    public static ValueType positive() {
        return new Decimal(Double.MIN_VALUE, Double.MAX_VALUE);
    }

    /** Returns the type of {@code true} or {@code false}; read as Boolean. */
    public static ValueType flag() {
        return new Flag();
    }

    /** Returns the type of a quantity with its unit; read as Long, in whole base units of the table. */
    public static ValueType quantity(UnitTable table, long min) {
        return new Quantity(table, min, Long.MAX_VALUE);
    }

    /** Returns the type of a time allowed in a run, 13 days at most; read as Long, in picoseconds. */
    public static ValueType time(long minPs) {
        return new Quantity(UnitTable.TIME, minPs, Picoseconds.LONGEST);
    }

    /** Returns the type of a possible link rate; read as Long, in bytes/s. */
    public static ValueType rate() {
        return new Quantity(UnitTable.RATE, 1, RATE_MAX);
    }

    /** Returns the type of a quantity with its unit; read as Double, in base units of the table. */
    public static ValueType decimalQuantity(UnitTable table) {
        return new DecimalQuantity(table, false);
    }

    /** Returns the type of a quantity above 0 with its unit; read as Double, in base units of the table. */
    public static ValueType positiveQuantity(UnitTable table) {
        return new DecimalQuantity(table, true);
    }

    /** Parses a type as written in a key table: {@code whole 1 8}, {@code choice a b}, {@code time 0} and so on. */
    public static ValueType of(String written) {
        List<String> words = List.of(written.split(" "));
        List<String> rest = words.subList(1, words.size());
        return switch (words.get(0)) {
            case "whole" -> whole(Long.parseLong(rest.get(0)), Long.parseLong(rest.get(1)));
            case "decimal" -> decimal(Double.parseDouble(rest.get(0)), Double.parseDouble(rest.get(1)));
            case "positive" -> positive();
            case "flag" -> flag();
            case "choice" -> choice(rest);
            case "counted" ->
                new Counted(
                        new Whole(Long.parseLong(rest.get(0)), Long.parseLong(rest.get(1))),
                        rest.subList(2, rest.size()));
            case "size" -> quantity(UnitTable.DATA_SIZE, Long.parseLong(rest.get(0)));
            case "time" -> time(Long.parseLong(rest.get(0)));
            case "frequency" -> quantity(UnitTable.FREQUENCY, Long.parseLong(rest.get(0)));
            case "rate" -> rate();
            case "flop_rate" -> decimalQuantity(UnitTable.FLOP_RATE);
            default -> throw new IllegalArgumentException(written + " is no type of a key");
        };
    }

    /** Adds the problem that a value has another type. */
    static <T> @Nullable T refuse(YamlNode node, String key, ValueType type, Problems problems) {
        String found = !(node instanceof Scalar scalar)
                ? "is " + node.kind()
                : scalar.isNull() ? "has no value" : YamlReader.printable(scalar.text()) + " is " + scalar.kind();
        return problems.refuse(node.position(), key + " " + found + "; write " + type.expected());
    }

    private record Text(Pattern pattern, String expected) implements ValueType {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            if (!(node instanceof Scalar scalar) || scalar.isNull()) {
                return refuse(node, key, this, problems);
            }
            if (scalar.text().length() > 4096 || !pattern.matcher(scalar.text()).matches()) {
                return problems.refuse(
                        node.position(),
                        key + " \"" + YamlReader.printable(scalar.text()) + "\" is not " + expected + "; write "
                                + expected);
            }
            return scalar.text();
        }

        @Override
        public Map<String, Object> schema() {
            Map<String, Object> schema = new LinkedHashMap<>();
            schema.put("type", "string");
            schema.put("pattern", "^(" + pattern.pattern() + ")$");
            return schema;
        }
    }

    private record Choice(List<String> words) implements ValueType {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            if (!(node instanceof Scalar scalar) || scalar.isNull()) {
                return refuse(node, key, this, problems);
            }
            if (!words.contains(scalar.text())) {
                String text = YamlReader.printable(scalar.text());
                return problems.refuse(
                        node.position(),
                        key + " " + text + " is not one of " + String.join(", ", words) + "; "
                                + Nearest.remedy(text, words, "write one of them"));
            }
            return scalar.text();
        }

        @Override
        public String expected() {
            return words.size() == 1 ? words.get(0) : "one of " + String.join(", ", words);
        }

        @Override
        public Map<String, Object> schema() {
            return Map.of("enum", words);
        }
    }

    private record Whole(long min, long max) implements ValueType {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            BigDecimal value = numberOf(node, key, this, problems);
            if (value == null) {
                return null;
            }
            if (value.signum() != 0 && value.stripTrailingZeros().scale() > 0) {
                return problems.refuse(
                        node.position(), key + " " + ((Scalar) node).text() + " is not whole; write " + expected());
            }
            if (value.compareTo(BigDecimal.valueOf(min)) < 0) {
                return problems.refuse(
                        node.position(), key + " " + ((Scalar) node).text() + " < " + min + "; write " + expected());
            }
            if (value.compareTo(BigDecimal.valueOf(max)) > 0) {
                return problems.refuse(
                        node.position(), key + " " + ((Scalar) node).text() + " > " + max + "; write " + expected());
            }
            return value.longValueExact();
        }

        @Override
        public String expected() {
            return max == Long.MAX_VALUE ? "a whole number from " + min : "a whole number from " + min + " to " + max;
        }

        @Override
        public Map<String, Object> schema() {
            Map<String, Object> schema = new LinkedHashMap<>();
            schema.put("type", "integer");
            schema.put("minimum", min);
            if (max != Long.MAX_VALUE) {
                schema.put("maximum", max);
            }
            return schema;
        }
    }

    private record Counted(Whole number, List<String> words) implements ValueType {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            if (node instanceof Scalar scalar) {
                for (String word : words) {
                    if (scalar.text().endsWith(" " + word)) {
                        String digits = scalar.text()
                                .substring(0, scalar.text().length() - word.length())
                                .strip();
                        return number.read(new Scalar(scalar.position(), digits, true), key, problems);
                    }
                }
            }
            return number.read(node, key, problems);
        }

        @Override
        public String expected() {
            return words.size() == 1
                    ? number.expected()
                    : number.expected() + ", alone or with " + String.join(" or ", words);
        }

        @Override
        public Map<String, Object> schema() {
            Map<String, Object> worded = new LinkedHashMap<>();
            worded.put("type", "string");
            worded.put("pattern", "^[0-9.eE+]+ +(" + String.join("|", words) + ")$");
            return Map.of("anyOf", List.of(number.schema(), worded));
        }
    }

    private record Decimal(double min, double max) implements ValueType {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            if (node instanceof Scalar share && share.text().matches("\\d{1,2}%")) {
                String number = new BigDecimal(share.text().replace("%", "e-2")).toString();
                return problems.refuse(node.position(), key + " " + share.text() + " is a string; write " + number);
            }
            BigDecimal value = numberOf(node, key, this, problems);
            if (value == null) {
                return null;
            }
            if (value.doubleValue() < min || value.doubleValue() > max) {
                return problems.refuse(
                        node.position(),
                        key + " " + ((Scalar) node).text() + relation(value) + "; write " + expected());
            }
            return value.doubleValue();
        }

        private String relation(BigDecimal value) {
            if (value.doubleValue() > max) {
                return " > " + plain(max);
            }
            return isPositive() ? " <= 0" : " < " + plain(min);
        }

        private boolean isPositive() {
            return min == Double.MIN_VALUE;
        }

        @Override
        public String expected() {
            if (isPositive()) {
                return "a number above 0";
            }
            return max == Double.MAX_VALUE
                    ? "a number from " + plain(min)
                    : "a number from " + plain(min) + " to " + plain(max);
        }

        @Override
        public Map<String, Object> schema() {
            Map<String, Object> schema = new LinkedHashMap<>();
            schema.put("type", "number");
            schema.put(isPositive() ? "exclusiveMinimum" : "minimum", isPositive() ? 0 : min);
            if (max != Double.MAX_VALUE) {
                schema.put("maximum", max);
            }
            return schema;
        }

        private static String plain(double value) {
            return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
        }
    }

    /**
     * Returns the number; or null after adding a problem if it is not a number, or its exponent is out of range: a larger one would take time to
     * expand.
     */
    private static @Nullable BigDecimal numberOf(YamlNode node, String key, ValueType type, Problems problems) {
        if (!(node instanceof Scalar scalar) || !scalar.isNumber()) {
            return refuse(node, key, type, problems);
        }
        try {
            BigDecimal value = new BigDecimal(scalar.text());
            if (Math.abs((long) value.scale()) <= 60) {
                return value;
            }
        } catch (NumberFormatException beyondInt) {
            // An exponent that overflows an int is reported like any other that is too large.
        }
        return problems.refuse(
                scalar.position(), key + " " + scalar.text() + " has too large an exponent; write " + type.expected());
    }

    private record Flag() implements ValueType {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            if (node instanceof Scalar scalar && scalar.isFlag()) {
                return scalar.text().equals("true");
            }
            if (node instanceof Scalar scalar && scalar.text().matches("(?i)yes|no|on|off|true|false")) {
                String meant = scalar.text().matches("(?i)yes|on|true") ? "true" : "false";
                problems.add(node.position(), key + " " + scalar.text() + " is a string in YAML 1.2; write " + meant);
            } else {
                refuse(node, key, this, problems);
            }
            return null;
        }

        @Override
        public String expected() {
            return "true or false";
        }

        @Override
        public Map<String, Object> schema() {
            return Map.of("type", "boolean");
        }
    }

    private static Map<String, Object> quantitySchema(UnitTable table) {
        String units = table.units().stream()
                .map(Pattern::quote)
                .map(ScalarTypes::withoutQuote)
                .collect(Collectors.joining("|"));
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "string");
        schema.put("pattern", "^\\s*\\+?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?\\s*(" + units + ")\\s*$");
        schema.put("examples", List.of(table.example().split(" or ")));
        return schema;
    }

    /** Strips the quoting of units. They contain no regex characters but the slash, which needs no escape. */
    private static String withoutQuote(String quoted) {
        return quoted.substring(2, quoted.length() - 2);
    }

    /** A number whose unit comes from a {@link UnitTable}. */
    private interface OfUnits extends ValueType {
        UnitTable table();

        Object valueOf(String text);

        /** Returns what is wrong with a value; empty for nothing. */
        String problem(Object value, String key, String text);

        @Override
        default @Nullable Object read(YamlNode node, String key, Problems problems) {
            if (!(node instanceof Scalar scalar) || scalar.isNull()) {
                return refuse(node, key, this, problems);
            }
            try {
                Object value = valueOf(scalar.text());
                String problem = problem(value, key, scalar.text());
                if (problem.isEmpty()) {
                    return value;
                }
                problems.add(node.position(), problem);
            } catch (QuantityException refused) {
                problems.add(node.position(), key + ": " + refused.getMessage());
            }
            return null;
        }

        @Override
        default String expected() {
            return "a " + table().kind() + " such as " + table().example();
        }

        @Override
        default Map<String, Object> schema() {
            return quantitySchema(table());
        }
    }

    private record Quantity(UnitTable table, long min, long max) implements OfUnits {
        @Override
        public Object valueOf(String text) {
            return table.parseWhole(text);
        }

        @Override
        public String problem(Object value, String key, String text) {
            long whole = (Long) value;
            if (whole >= min && whole <= max) {
                return "";
            }
            return key + ": " + table.kind() + " " + text + (whole < min ? " < " + min : " > " + max) + " "
                    + table.baseUnit() + "; write for example " + table.example();
        }
    }

    private record DecimalQuantity(UnitTable table, boolean positive) implements OfUnits {
        @Override
        public Object valueOf(String text) {
            return table.parse(text).doubleValue();
        }

        @Override
        public String problem(Object value, String key, String text) {
            return positive && (Double) value == 0 ? key + " " + text + " is not above 0; write " + expected() : "";
        }
    }
}
