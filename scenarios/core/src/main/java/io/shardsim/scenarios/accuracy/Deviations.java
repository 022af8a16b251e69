package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.Metric;
import io.shardsim.reports.validation.StrategyPair;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The register of deviations, {@code DEVIATIONS.md}: a numbered row for each figure over 10 % off, and for each speedup of one strategy over another
 * that is over 5 points off or has the wrong sign, with the letter of its best explanation. People write words and letters; numbers follow the
 * recorded errors.
 */
final class Deviations {
    /** Error above which a figure needs an explanation [1]. */
    static final double LIMIT = 0.10;
    /** Error above which a speedup needs an explanation [1]. */
    static final double SPEED_UP_LIMIT = 0.05;

    private static final String HEADER =
            "| # | case | figure | ours | reference | error | first | why | status |\n|--:|---|---|--:|--:|--:|--:|---|---|\n";
    private static final String UNEXPLAINED = "?";
    private static final String OPEN = "open";
    private static final Pattern ROW = Pattern.compile(
            "\\| *(\\d+) *\\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]*) \\| ([^|]+) \\| ([^|]+) \\|");

    private Deviations() {}

    /**
     * A row.
     *
     * @param figure metric, or the slower case of a speedup
     * @param why letter of its explanation
     */
    record Entry(int number, String id, String figure, String error, String why, String status) {}

    /** Reads the rows of the register. */
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
                        row.group(8).strip(),
                        row.group(9).strip()));
            }
        });
        return entries;
    }

    /**
     * A deviation to explain.
     *
     * @param figure metric, or the slower case of a speedup
     * @param first error of its first simulation; empty for speedups
     */
    record Gap(String id, String figure, String ours, String reference, String error, String first) {}

    /** Returns figures and speedups that are too far off, and strategies ranked in the wrong order. */
    static List<Gap> gaps(List<CaseOutcome> outcomes, FirstErrors known) {
        List<Gap> gaps = new ArrayList<>();
        for (CaseOutcome outcome : outcomes) {
            Double simulated = outcome.simulated();
            Double error = outcome.error();
            if (simulated != null && error != null && Math.abs(error) > LIMIT) {
                gaps.add(new Gap(
                        outcome.id(),
                        outcome.metric().id(),
                        Quantities.number(simulated, 4),
                        Quantities.number(outcome.measured(), 4),
                        signed(error) + " %",
                        first(outcome, known)));
            }
        }
        for (StrategyPair pair : StrategyPair.of(outcomes)) {
            Double simulated = pair.simulated();
            Double difference = pair.difference();
            if (simulated != null && difference != null && (Math.abs(difference) > SPEED_UP_LIMIT || !pair.ranked())) {
                gaps.add(new Gap(
                        pair.faster(),
                        "speed-up over " + pair.slower() + byMetric(pair.metric()),
                        signed(simulated) + " %",
                        signed(pair.measured()) + " %",
                        signed(difference) + " points",
                        ""));
            }
        }
        return gaps;
    }

    private static String first(CaseOutcome outcome, FirstErrors known) {
        FirstErrors.Entry entry = known.of(outcome);
        return entry == null ? "" : signed(entry.simulated() / outcome.measured() - 1) + " %";
    }

    private static String byMetric(Metric metric) {
        return metric == Metric.TFLOPS_PER_GPU ? " in TFLOPS" : "";
    }

    private static String signed(double share) {
        return (share < 0 ? "" : "+") + Quantities.fixed(100 * share, 1);
    }

    /** Returns the register with updated numbers: explanations are kept, new rows have none, closed rows are removed. */
    static String update(String text, List<Gap> gaps) {
        Map<String, Entry> known = new LinkedHashMap<>();
        read(text).forEach(entry -> known.put(entry.id() + " " + entry.figure(), entry));
        StringBuilder table = new StringBuilder(HEADER);
        int number = 0;
        for (Gap gap : gaps) {
            Entry entry = known.get(gap.id() + " " + gap.figure());
            table.append(String.join(
                            " | ",
                            "| " + ++number,
                            gap.id(),
                            gap.figure(),
                            gap.ours(),
                            gap.reference(),
                            gap.error(),
                            gap.first(),
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
