package io.shardsim.reports.writing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A field of a run by its dotted name in {@code results.json}, as defined in docs/results.md, which the jar contains. Fields of list entries are
 * excluded.
 *
 * @param unit unit as written on the page; empty for a count, a word or a sentence
 */
public record ResultField(String name, String unit) {
    private static final String PAGE = "results.md";
    private static final Pattern ROW = Pattern.compile("\\| `([^`\\[]+)`(?:, `([^`\\[]+)`)? \\| ([^|]*?) ?\\|.*");
    private static final String ANY = ".*";
    private static final Map<String, ResultField> FIELDS = read();

    private static Map<String, ResultField> read() {
        Map<String, ResultField> fields = new LinkedHashMap<>();
        try (BufferedReader page = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(ResultField.class.getResourceAsStream(PAGE), PAGE), StandardCharsets.UTF_8))) {
            page.lines().map(ROW::matcher).filter(Matcher::matches).forEach(row -> {
                for (String name : row.group(2) == null ? List.of(row.group(1)) : List.of(row.group(1), row.group(2))) {
                    fields.put(name, new ResultField(name, row.group(3)));
                }
            });
        } catch (IOException failure) {
            throw new UncheckedIOException(PAGE, failure);
        }
        return fields;
    }

    /** Returns all names, in page order; a name ending in {@code .*} represents several. */
    public static List<String> names() {
        return List.copyOf(FIELDS.keySet());
    }

    /** Returns the field of a name; null if the page defines none. */
    public static @Nullable ResultField of(String name) {
        ResultField field = FIELDS.get(name);
        if (field != null || name.indexOf('.') < 0) {
            return field;
        }
        ResultField open = FIELDS.get(name.substring(0, name.lastIndexOf('.')) + ANY);
        return open == null ? null : new ResultField(name, open.unit);
    }

    /** Returns a run's value, from its {@link ResultsJson#run document}; null if there is none. */
    public @Nullable Object in(JsonObject run) {
        Object value = run;
        for (String part : name.split("\\.")) {
            value = value instanceof Map<?, ?> map ? map.get(part) : null;
        }
        return value;
    }
}
