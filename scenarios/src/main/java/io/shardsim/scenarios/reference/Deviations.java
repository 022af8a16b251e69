package io.shardsim.scenarios.reference;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.reference.RecordedErrors.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The register of differences, {@code DEVIATIONS.md}: a numbered row for each figure that is more than 10 % off, with the letter of its best
 * explanation. Words and letters are people's; numbers follow the recorded errors.
 */
final class Deviations {
    /** Beyond this a figure needs an explanation [1]. */
    static final double LIMIT = 0.10;

    private static final String HEADER =
            "| # | case | figure | ours | reference | error | why | status |\n|--:|---|---|--:|--:|--:|---|---|\n";
    private static final String UNEXPLAINED = "?";
    private static final String OPEN = "open";
    private static final Pattern ROW = Pattern.compile(
            "\\| *(\\d+) *\\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|");

    private Deviations() {}

    /**
     * One row.
     *
     * @param figure metric
     * @param why letter of the explanation
     */
    record Entry(int number, String id, String figure, String error, String why, String status) {}

    /** The rows of the register. */
    static List<Entry> read(String text) {
        List<Entry> entries = new ArrayList<>();
        text.lines().forEach(line -> {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                entries.add(new Entry(
                        Integer.parseInt(row.group(1)),
                        row.group(2).strip(),
                        row.group(3).strip(),
                        row.group(6).strip(),
                        row.group(7).strip(),
                        row.group(8).strip()));
            }
        });
        return entries;
    }

    static boolean isDeviation(Row row) {
        return Math.abs(row.error()) > LIMIT;
    }

    static String error(Row row) {
        return (row.error() < 0 ? "" : "+") + Quantities.fixed(100 * row.error(), 1) + " %";
    }

    /** The register with its numbers brought up to date: explanations are kept, new rows have none, closed ones go. */
    static String update(String text, List<Row> rows) {
        Map<String, Entry> known = new LinkedHashMap<>();
        read(text).forEach(entry -> known.put(entry.id() + " " + entry.figure(), entry));
        StringBuilder table = new StringBuilder(HEADER);
        int number = 0;
        for (Row row : rows) {
            if (!isDeviation(row)) {
                continue;
            }
            Entry entry = known.get(row.id() + " " + row.metric().id());
            table.append(String.join(
                            " | ",
                            "| " + ++number,
                            row.id(),
                            row.metric().id(),
                            Quantities.number(row.simulated(), 4),
                            Quantities.number(row.measured(), 4),
                            error(row),
                            entry == null ? UNEXPLAINED : entry.why(),
                            entry == null ? OPEN : entry.status()))
                    .append(" |\n");
        }
        int begin = text.indexOf(HEADER.substring(0, HEADER.indexOf('\n')));
        if (begin < 0) {
            return text + "\n" + table;
        }
        int end = begin;
        while (end < text.length() && text.startsWith("|", end)) {
            int line = text.indexOf('\n', end);
            end = line < 0 ? text.length() : line + 1;
        }
        return text.substring(0, begin) + table + text.substring(end);
    }
}
