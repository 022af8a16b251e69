package io.shardsim.reports.writing;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import io.shardsim.reports.Names;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.LinkClass;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One row per run with the figures of {@link ResultsJson} under the same names; nested figures have their path as a name, and the sweep's values
 * stand in columns {@code point.*}. Columns are the same for every training scenario but for those.
 *
 * <p>A field that a spreadsheet would take for a formula is led by an apostrophe, since names come from a file that somebody else may have
 * written (OWASP, CSV injection).
 */
public final class ResultsCsv {
    private static final String FORMULA_STARTS = "=+-@\t\r";

    private ResultsCsv() {}

    public static String write(ScenarioResult scenario) {
        List<Map<String, @Nullable Object>> rows = rows(scenario);
        Set<String> columns = new LinkedHashSet<>();
        rows.forEach(row -> columns.addAll(row.keySet()));
        StringWriter text = new StringWriter();
        try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            csv.writeRecord(columns);
            for (Map<String, @Nullable Object> row : rows) {
                csv.writeRecord(
                        columns.stream().map(column -> text(row.get(column))).toList());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** The rows by column, as numbers, booleans, texts and lists of texts; null for a figure that does not exist. */
    public static List<Map<String, @Nullable Object>> rows(ScenarioResult scenario) {
        return scenario.runs().stream()
                .map(ResultsJson::run)
                .map(ResultsCsv::row)
                .toList();
    }

    private static Map<String, @Nullable Object> row(Map<String, @Nullable Object> run) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        run.forEach((key, value) -> {
            switch (key) {
                case "point" -> putAll(row, "point", value);
                case "breakdown" -> putBreakdown(row, value);
                case "memory" -> putMemory(row, value);
                case "links" -> putLinks(row, value);
                case "cost" -> putCost(row, value);
                case "accuracy" -> {
                    row.put("error_low", inner(value, "error_low"));
                    row.put("error_high", inner(value, "error_high"));
                }
                case "around_step" -> putAll(row, "around_step", value);
                case "advice" -> row.put(key, sentences(value));
                case "scaling",
                        "waited_for",
                        "trials",
                        "untried",
                        "assumptions",
                        "blast_radius",
                        "critical_path",
                        "messages",
                        "settings" -> {}
                default -> row.put(key, value);
            }
        });
        return row;
    }

    private static List<String> sentences(@Nullable Object value) {
        return value instanceof List<?> list
                ? list.stream()
                        .map(entry -> Objects.toString(inner(entry, "sentence"), ""))
                        .toList()
                : List.of();
    }

    private static void putAll(Map<String, @Nullable Object> row, String prefix, @Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> putAll(row, prefix + "." + key, inner));
        } else if (!(value instanceof List<?>)) {
            row.put(prefix, value);
        }
    }

    private static void putBreakdown(Map<String, @Nullable Object> row, @Nullable Object value) {
        Object work = inner(value, "work_seconds");
        for (Work.Kind kind : Work.Kind.values()) {
            if (!kind.isOfHost()) {
                row.put("work_seconds." + Names.id(kind), orZero(inner(work, Names.id(kind))));
            }
        }
        row.put("slowdown_seconds", inner(value, "slowdown_seconds"));
        for (Stream stream : Stream.values()) {
            if (stream != Stream.COMPUTE && stream.reportedAs() == stream) {
                row.put(
                        "exposed_seconds." + Names.id(stream),
                        inner(inner(value, "exposed_seconds"), Names.id(stream)));
            }
        }
        row.put("idle_seconds", inner(value, "idle_seconds"));
    }

    private static void putMemory(Map<String, @Nullable Object> row, @Nullable Object value) {
        row.put("memory_capacity_bytes", inner(value, "capacity_bytes"));
        row.put("memory_needed_bytes", inner(value, "needed_bytes"));
        for (MemoryOwner owner : MemoryOwner.values()) {
            row.put(
                    "memory_bytes." + Names.id(owner),
                    orZero(inner(inner(value, "peak_bytes_by_owner"), Names.id(owner))));
        }
    }

    private static void putLinks(Map<String, @Nullable Object> row, @Nullable Object value) {
        for (LinkClass linkClass : LinkClass.values()) {
            Object entry = null;
            for (Object use : (Iterable<?>) (value == null ? List.of() : value)) {
                entry = Names.id(linkClass).equals(inner(use, "class")) ? use : entry;
            }
            for (String figure : List.of("bytes", "utilization", "busiest_utilization", "queueing_seconds")) {
                row.put("links." + Names.id(linkClass) + "." + figure, inner(entry, figure));
            }
        }
    }

    private static void putCost(Map<String, @Nullable Object> row, @Nullable Object value) {
        row.put("usd_per_node_hour", inner(value, "usd_per_node_hour"));
        Object lengths = inner(value, "training");
        for (Object length : (Iterable<?>) (lengths == null ? List.of() : lengths)) {
            String tokens = text(inner(length, "tokens"));
            row.put("days_for_" + tokens + "_tokens", inner(length, "days"));
            row.put("usd_for_" + tokens + "_tokens", inner(length, "usd"));
        }
    }

    private static @Nullable Object inner(@Nullable Object map, String key) {
        return map instanceof Map<?, ?> entries ? entries.get(key) : null;
    }

    private static Object orZero(@Nullable Object value) {
        return value == null ? 0 : value;
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
