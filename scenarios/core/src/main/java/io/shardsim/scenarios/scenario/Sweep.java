package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The {@code sweep} block of a scenario: lists of values by dotted key, and all their combinations in file order, the first key varying slowest.
 *
 * <p>Combinations are made on the tree, before keys are interpreted: each value keeps its position in the file, so that a problem of one point is
 * reported where its value is written.
 */
final class Sweep {
    /** More points than anyone waits for; that many combinations are a typing error. */
    static final int POINTS_MAX = 10_000;

    /** A key of the file, or of a block in it. */
    static final Pattern KEY = Pattern.compile("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*){0,2}");

    /** Blocks and keys that define the set of runs, and so cannot vary between them. */
    private static final List<String> OF_ALL_RUNS =
            List.of("sweep", ScenarioKeys.SEARCH, ScenarioKeys.ASSERT, "scenario");

    /** A sweep that varies nothing. */
    static final Sweep NONE = new Sweep(List.of());

    /** Points may have settings of other strategies. */
    static final Sweep OF_STRATEGIES = new Sweep(List.of(new Axis("strategy", Position.START, List.of())));

    private final List<Axis> axes;

    private Sweep(List<Axis> axes) {
        this.axes = axes;
    }

    /** One swept key. */
    private record Axis(String key, Position keyPosition, List<YamlNode> values) {}

    /**
     * One combination.
     *
     * @param values values by dotted key, as plain Java values
     * @param tree the file with these values set and the sweep removed
     */
    record Combination(Map<String, Object> values, Mapping tree) {
        /** Returns every value of the tree by dotted key. */
        Map<String, Object> given() {
            Map<String, Object> given = new LinkedHashMap<>();
            add("", tree, given);
            return given;
        }

        private static void add(String prefix, Mapping block, Map<String, Object> into) {
            for (Entry entry : block.entries()) {
                if (entry.value() instanceof Mapping inner) {
                    add(prefix + entry.key() + ".", inner, into);
                } else {
                    into.put(prefix + entry.key(), plain(entry.value()));
                }
            }
        }
    }

    /** Returns whether a dotted key can be a value of one run. */
    static boolean isKey(String key) {
        return KEY.matcher(key).matches()
                && OF_ALL_RUNS.stream().noneMatch(word -> key.equals(word) || key.startsWith(word + "."));
    }

    /** Returns whether a key under a block of lists can be a value of one run; adds a problem if it cannot. */
    static boolean isKey(Entry listed, String block, Problems problems) {
        if (!isKey(listed.key())) {
            problems.add(
                    listed.keyPosition(),
                    block + " key " + YamlReader.printable(listed.key())
                            + " is not a dotted scenario key; write for example cluster.nodes");
            return false;
        }
        return true;
    }

    /** Returns a file's sweep; without one, a single empty combination. */
    static Sweep of(Mapping file, Problems problems) {
        Entry entry = file.entry("sweep");
        List<Axis> axes = new ArrayList<>();
        if (entry == null) {
            return new Sweep(axes);
        }
        if (!(entry.value() instanceof Mapping block)) {
            problems.add(
                    entry.value().position(),
                    "sweep is " + entry.value().kind() + "; write a block of lists such as cluster.nodes: [2, 4, 8]");
            return new Sweep(axes);
        }
        long points = 1;
        for (Entry axis : block.entries()) {
            if (!isKey(axis, "sweep", problems)) {
                continue;
            }
            String key = YamlReader.printable(axis.key());
            if (!(axis.value() instanceof Sequence list)) {
                problems.add(
                        axis.value().position(),
                        "sweep of " + key + " is " + axis.value().kind() + "; write a list such as [1, 2]");
            } else if (list.items().isEmpty()) {
                problems.add(list.position(), "sweep of " + key + " is an empty list; write values or remove the key");
            } else if (axes.stream().anyMatch(before -> before.key().startsWith(axis.key() + "."))) {
                problems.add(
                        axis.keyPosition(),
                        "sweep of " + key + " overwrites keys of lines before it; move it before them");
            } else {
                axes.add(new Axis(axis.key(), axis.keyPosition(), list.items()));
                points = Math.min(Integer.MAX_VALUE, points * list.items().size());
            }
        }
        if (points > POINTS_MAX) {
            problems.add(
                    entry.keyPosition(),
                    "sweep has " + points + " points > " + POINTS_MAX
                            + "; vary fewer keys, or split it into several files");
            axes.clear();
        }
        return new Sweep(axes);
    }

    /** Returns whether a key, or a block that holds it, varies. */
    boolean varies(String block) {
        return axes.stream()
                .anyMatch(axis -> axis.key().equals(block) || axis.key().startsWith(block + "."));
    }

    /** Returns every combination; those that cannot be made are left out and reported as problems. */
    List<Combination> combinations(Mapping file, Problems problems) {
        List<Entry> entries = new ArrayList<>(file.entries());
        entries.removeIf(entry -> entry.key().equals("sweep") || entry.key().equals(ScenarioKeys.ASSERT));
        List<Combination> combinations = List.of(new Combination(Map.of(), new Mapping(file.position(), entries)));
        for (Axis axis : axes) {
            List<Combination> longer = new ArrayList<>();
            for (Combination combination : combinations) {
                for (YamlNode value : axis.values()) {
                    Mapping tree = replaced(combination.tree(), axis.key(), axis, value, problems);
                    if (tree != null) {
                        Map<String, Object> values = new LinkedHashMap<>(combination.values());
                        values.put(axis.key(), plain(value));
                        longer.add(new Combination(values, tree));
                    }
                }
            }
            combinations = longer;
        }
        return combinations;
    }

    /** Returns the block with the value set at a dotted key; null if a part of the key is not a block. */
    private static @Nullable Mapping replaced(Mapping block, String key, Axis axis, YamlNode value, Problems problems) {
        int dot = key.indexOf('.');
        String first = dot < 0 ? key : key.substring(0, dot);
        Entry old = block.entry(first);
        YamlNode replacement = value;
        if (dot >= 0) {
            YamlNode inner = old == null ? new Mapping(axis.keyPosition(), List.of()) : old.value();
            if (!(inner instanceof Mapping innerBlock)) {
                return problems.refuse(
                        axis.keyPosition(),
                        "sweep key " + axis.key() + " needs a block, but " + first + " is " + inner.kind() + "; sweep "
                                + first + " itself, or write it as a block");
            }
            Mapping innerReplaced = replaced(innerBlock, key.substring(dot + 1), axis, value, problems);
            if (innerReplaced == null) {
                return null;
            }
            replacement = innerReplaced;
        }
        List<Entry> entries = new ArrayList<>(block.entries());
        Entry entry = new Entry(first, old == null || dot < 0 ? axis.keyPosition() : old.keyPosition(), replacement);
        if (old == null) {
            entries.add(entry);
        } else {
            entries.set(entries.indexOf(old), entry);
        }
        return new Mapping(block.position(), entries);
    }

    /** Converts a value to the plain Java value that results carry. */
    private static Object plain(YamlNode node) {
        if (node instanceof Mapping block) {
            return values(block);
        }
        if (node instanceof Sequence list) {
            return list.items().stream().map(Sweep::plain).toList();
        }
        Scalar scalar = (Scalar) node;
        if (scalar.isFlag()) {
            return scalar.text().equals("true");
        }
        return scalar.isNumber() ? number(scalar.text()) : scalar.text();
    }

    /** Converts a block to the plain Java values that results carry. */
    static Map<String, Object> values(Mapping block) {
        Map<String, Object> values = new LinkedHashMap<>();
        block.entries().forEach(entry -> values.put(entry.key(), plain(entry.value())));
        return values;
    }

    /** Rebuilds a file from the values of {@link Combination#given}. */
    static Mapping tree(Map<String, Object> given) {
        Map<String, Object> file = new LinkedHashMap<>();
        given.forEach((key, value) -> put(file, key, value));
        return (Mapping) node(file);
    }

    @SuppressWarnings("unchecked")
    private static void put(Map<String, Object> block, String key, Object value) {
        int dot = key.indexOf('.');
        if (dot < 0) {
            block.put(key, value);
        } else {
            put(
                    (Map<String, Object>) block.computeIfAbsent(key.substring(0, dot), name -> new LinkedHashMap<>()),
                    key.substring(dot + 1),
                    value);
        }
    }

    /** Converts a value back from its {@link #plain} form. */
    private static YamlNode node(Object value) {
        if (value instanceof Map<?, ?> block) {
            List<Entry> entries = new ArrayList<>();
            block.forEach((key, inner) -> entries.add(new Entry(String.valueOf(key), Position.START, node(inner))));
            return new Mapping(Position.START, entries);
        }
        return value instanceof List<?> list
                ? new Sequence(Position.START, list.stream().map(Sweep::node).toList())
                : new Scalar(Position.START, String.valueOf(value), !(value instanceof String));
    }

    private static Object number(String text) {
        try {
            BigDecimal number = new BigDecimal(text);
            if (Math.abs((long) number.scale()) > 60) {
                return text;
            }
            boolean whole = number.stripTrailingZeros().scale() <= 0
                    && number.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
            return whole ? (Object) number.longValueExact() : (Object) number.doubleValue();
        } catch (NumberFormatException exponentBeyondInt) {
            return text;
        }
    }
}
