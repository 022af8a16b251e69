package io.shardsim.simulator.strategy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Settings of a strategy: what its descriptor declares, overridden by what the scenario says.
 *
 * <p>Values are kept as the declared unit asks: whole numbers for {@code elements}, {@code ranks}, {@code count},
 * {@code bytes} and {@code ps}; a decimal number for {@code fraction}; true or false for {@code flag}; text for {@code name}.
 */
public final class StrategyParameters {
    /**
     * One setting that a descriptor declares.
     *
     * @param name as scenario files write it, for example {@code reduce_bucket_size}
     * @param unit elements, ranks, count, bytes, ps, fraction, flag or name
     * @param defaultValue in that unit
     * @param meaning one sentence
     * @param source where the default comes from
     */
    public record Declaration(String name, String unit, Object defaultValue, String meaning, String source) {}

    private final Map<String, Declaration> declarations = new LinkedHashMap<>();
    private final Map<String, Object> given = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();

    /**
     * Checks and keeps the settings; what is wrong with them is told by {@link #problems()}.
     *
     * @param declared what the descriptor declares
     * @param given what the scenario sets, quantities already in the declared unit
     */
    public StrategyParameters(List<Declaration> declared, Map<String, ?> given) {
        for (Declaration declaration : declared) {
            declarations.put(declaration.name(), declaration);
        }
        given.forEach(this::set);
    }

    private void set(String name, Object value) {
        Declaration declaration = declarations.get(name);
        if (declaration == null) {
            problems.add("unknown parameter " + name + nearest(name));
        } else if (!fits(declaration.unit(), value)) {
            problems.add(name + " " + value + " is not a value in " + declaration.unit() + "; the default is "
                    + declaration.defaultValue());
        } else {
            given.put(name, value);
        }
    }

    private static boolean fits(String unit, Object value) {
        return switch (unit) {
            case "flag" -> value instanceof Boolean;
            case "name" -> value instanceof String;
            case "fraction" -> value instanceof Number number && number.doubleValue() >= 0;
            default -> (value instanceof Long || value instanceof Integer) && ((Number) value).longValue() >= 0;
        };
    }

    /** What is wrong with the settings, one sentence each; empty when nothing is. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    /** All declared settings in the descriptor's order, with the values in force. */
    public Map<String, Object> values() {
        Map<String, Object> values = new LinkedHashMap<>();
        declarations.keySet().forEach(name -> values.put(name, value(name)));
        return values;
    }

    /** A setting in elements, ranks, bytes, picoseconds or a count. */
    public long whole(String name) {
        return ((Number) value(name)).longValue();
    }

    /** A setting in ranks or a count. */
    public int count(String name) {
        return Math.toIntExact(whole(name));
    }

    /** A fraction. */
    public double fraction(String name) {
        return ((Number) value(name)).doubleValue();
    }

    /** A switch. */
    public boolean flag(String name) {
        return (Boolean) value(name);
    }

    /** A name, for example of an algorithm. */
    public String name(String name) {
        return (String) value(name);
    }

    private Object value(String name) {
        Declaration declaration = declarations.get(name);
        if (declaration == null) {
            throw new IllegalStateException(
                    "parameter " + name + " is not declared; declared are " + declarations.keySet());
        }
        return given.getOrDefault(name, declaration.defaultValue());
    }

    private String nearest(String name) {
        TreeSet<String> known = new TreeSet<>(declarations.keySet());
        String best = "";
        int least = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = distance(name, candidate);
            if (distance < least) {
                least = distance;
                best = candidate;
            }
        }
        return known.isEmpty() ? "; this strategy has none" : "; nearest known: " + best + " (all: " + known + ")";
    }

    /** Edits that turn one word into the other (Levenshtein). */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j - 1], row[j]) + 1);
            }
        }
        return row[b.length()];
    }
}
