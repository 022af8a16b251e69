package io.shardsim.reports.writing;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import io.shardsim.reports.KnownSetting;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.simulator.catalog.FigureType;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ShippedFile;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes one row per run: swept values in columns {@code point.*}, then figures of {@link ResultsJson}, then words, then settings in force. Columns
 * other than {@code point.*} are the same for every scenario. Excludes sentences and lists, which are in {@code results.json}.
 *
 * <p>A field that a spreadsheet would take for a formula gets a leading apostrophe, since names may come from another user's file (OWASP, CSV
 * injection).
 */
public final class ResultsCsv {
    private static final String FORMULA_STARTS = "=+-@\t\r";

    private static final String POINT = "point";
    private static final String SETTINGS = "settings";

    /** Paths in a run's document by column. */
    private static final Map<String, String> PATHS =
            ShippedFile.read(ResultsCsv.class, "csv-columns.yaml", new MapType(FigureType.LINE, FigureType.LINE));

    /** Objects from which the document omits zeros. */
    private static final Set<String> SPARSE = Set.of("work_seconds", "exposed_seconds", "peak_bytes_by_owner");

    private ResultsCsv() {}

    public static String write(ScenarioResult scenario) {
        List<Map<String, @Nullable Object>> rows = rows(scenario);
        StringWriter text = new StringWriter();
        try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            if (!rows.isEmpty()) {
                csv.writeRecord(rows.get(0).keySet());
            }
            for (Map<String, @Nullable Object> row : rows) {
                csv.writeRecord(row.values().stream().map(ResultsCsv::text).toList());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Returns the rows by column, all with the same columns, as numbers, booleans and strings; null for a figure that does not exist. */
    public static List<Map<String, @Nullable Object>> rows(ScenarioResult scenario) {
        List<JsonObject> runs = scenario.runs().stream().map(ResultsJson::run).toList();
        List<Map<String, @Nullable Object>> points = new ArrayList<>();
        Set<String> keys = new LinkedHashSet<>();
        for (JsonObject run : runs) {
            Map<String, @Nullable Object> point = new LinkedHashMap<>();
            putAll(point, POINT, run.get(POINT));
            points.add(point);
            keys.addAll(point.keySet());
        }
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            Map<String, @Nullable Object> row = new LinkedHashMap<>();
            for (String key : keys) {
                row.put(key, points.get(i).get(key));
            }
            Object run = runs.get(i);
            PATHS.forEach((column, path) -> row.put(column, at(run, path)));
            Object settings = inner(run, SETTINGS);
            for (KnownSetting known : KnownSetting.all()) {
                row.put(SETTINGS + "." + known.path(), inner(inner(settings, known.path()), "value"));
            }
            rows.add(row);
        }
        return rows;
    }

    private static void putAll(Map<String, @Nullable Object> point, String prefix, @Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> putAll(point, prefix + "." + key, inner));
        } else {
            point.put(prefix, value);
        }
    }

    private static @Nullable Object at(@Nullable Object from, String path) {
        String[] parts = path.split("\\.");
        Object value = from;
        for (int i = 0; i < parts.length; i++) {
            Object inner = inner(value, parts[i]);
            value = inner == null && value != null && i > 0 && SPARSE.contains(parts[i - 1])
                    ? Integer.valueOf(0)
                    : inner;
        }
        return value;
    }

    private static @Nullable Object inner(@Nullable Object value, String part) {
        if (value instanceof List<?> list) {
            return list.stream()
                    .filter(entry -> part.equals(inner(entry, "class")) || part.equals("last"))
                    .reduce((one, next) -> next)
                    .orElse(null);
        }
        return value instanceof Map<?, ?> map ? map.get(part) : null;
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (value instanceof BigInteger || value instanceof Number) {
            return value.toString();
        }
        if (value instanceof List<?> list) {
            return safe(String.join("; ", list.stream().map(String::valueOf).toList()));
        }
        return safe(value.toString());
    }

    private static String safe(String text) {
        return !text.isEmpty() && FORMULA_STARTS.indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
    }
}
