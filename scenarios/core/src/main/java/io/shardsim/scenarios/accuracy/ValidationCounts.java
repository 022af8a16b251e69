package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.ErrorSummary;
import io.shardsim.reports.validation.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The number of published figures and their errors, as documents state them between {@code <!-- figures -->}, {@code <!-- headline -->},
 * {@code <!-- errors -->}, {@code <!-- errors by framework -->} or {@code <!-- first errors -->} and {@code <!-- end -->}. Kinds of figures and roles
 * are counted separately.
 */
final class ValidationCounts {
    private static final List<String> ROLES = List.of("validation", "calibration");
    private static final Map<Metric.Kind, String> NOUNS = Map.of(
            Metric.Kind.TRAINING_SPEED, "training speeds",
            Metric.Kind.COLLECTIVES, "collective times",
            Metric.Kind.MEMORY, "peak-memory figures");
    private static final Map<Metric.Kind, String> SUBJECTS = Map.of(
            Metric.Kind.TRAINING_SPEED, "training speed",
            Metric.Kind.COLLECTIVES, "collective time",
            Metric.Kind.MEMORY, "peak memory");

    private ValidationCounts() {}

    /** Returns a document with its marked places updated. */
    static String update(String text, List<CaseOutcome> outcomes, FirstErrors first) {
        String counted = replaced(text, "figures", sentence(outcomes));
        String asPublished = replaced(counted, "errors", "\n" + table(outcomes));
        List<CaseOutcome> released = CaseOutcome.released(outcomes);
        String byFramework = replaced(asPublished, "errors by framework", "\n" + table(released));
        String atFirst = replaced(byFramework, "first errors", "\n" + firstTable(outcomes, first));
        return replaced(atFirst, "headline", headline(released));
    }

    private static String replaced(String text, String mark, String content) {
        Pattern between = Pattern.compile("(<!-- " + mark + " -->).*?(<!-- end -->)", Pattern.DOTALL);
        return between.matcher(text).replaceAll("$1" + Matcher.quoteReplacement(content) + "$2");
    }

    /** Returns the counts, for example {@code 3 training speeds (2 validation, 1 calibration) and 4 peak-memory figures (4 validation)}. */
    static String sentence(List<CaseOutcome> outcomes) {
        List<String> kinds = new ArrayList<>();
        for (Metric.Kind kind : Metric.Kind.values()) {
            List<String> roles = new ArrayList<>();
            int all = 0;
            for (String role : ROLES) {
                int count = some(outcomes, kind, role).size();
                all += count;
                if (count > 0) {
                    roles.add(count + " " + role);
                }
            }
            if (all > 0) {
                kinds.add(all + " " + NOUNS.get(kind) + " (" + String.join(", ", roles) + ")");
            }
        }
        return joined(kinds);
    }

    private static String joined(List<String> parts) {
        int last = parts.size() - 1;
        return last < 1
                ? String.join("", parts)
                : String.join(", ", parts.subList(0, last)) + " and " + parts.get(last);
    }

    /** Returns mean errors of validation figures only, for example {@code training speed is 6.6 % off on average and peak memory 6.9 %}. */
    static String headline(List<CaseOutcome> outcomes) {
        List<String> kinds = new ArrayList<>();
        for (Metric.Kind kind : Metric.Kind.values()) {
            Double mean = ErrorSummary.of(some(outcomes, kind, ROLES.get(0))).mape();
            if (mean != null) {
                kinds.add(SUBJECTS.get(kind)
                        + (kinds.isEmpty() ? " is " + percent(mean) + " off on average" : " " + percent(mean)));
            }
        }
        return joined(kinds);
    }

    /** Returns a table of errors by kind and role. */
    static String table(List<CaseOutcome> outcomes) {
        StringBuilder out = new StringBuilder(
                "| figures | role | number | mean error | median | bias | worst |\n|---|---|--:|--:|--:|--:|--:|\n");
        for (Metric.Kind kind : Metric.Kind.values()) {
            for (String role : ROLES) {
                ErrorSummary errors = ErrorSummary.of(some(outcomes, kind, role));
                if (errors.count() > 0) {
                    out.append("| ")
                            .append(String.join(
                                    " | ",
                                    NOUNS.get(kind),
                                    role,
                                    String.valueOf(errors.count()),
                                    percent(errors.mape()),
                                    percent(errors.median()),
                                    signed(errors.bias()),
                                    percent(errors.worst())))
                            .append(" |\n");
                }
            }
        }
        return out.toString();
    }

    /** Returns a table of first and current errors: of validation figures, and of locked figures of any role. */
    static String firstTable(List<CaseOutcome> outcomes, FirstErrors first) {
        StringBuilder out = new StringBuilder("""
                | figures | number | mean error at first | mean error today | locked, of any role | mean error at first |
                |---|--:|--:|--:|--:|--:|
                """);
        for (Metric.Kind kind : Metric.Kind.values()) {
            List<CaseOutcome> some = some(outcomes, kind, ROLES.get(0));
            if (!some.isEmpty()) {
                List<CaseOutcome> locked = first.locked(some(outcomes, kind));
                out.append("| ")
                        .append(String.join(
                                " | ",
                                NOUNS.get(kind),
                                String.valueOf(some.size()),
                                percent(ErrorSummary.of(first.first(some)).mape()),
                                percent(ErrorSummary.of(some).mape()),
                                String.valueOf(locked.size()),
                                percent(ErrorSummary.of(first.first(locked)).mape())))
                        .append(" |\n");
            }
        }
        return out.toString();
    }

    private static List<CaseOutcome> some(List<CaseOutcome> outcomes, Metric.Kind kind) {
        return outcomes.stream().filter(one -> one.metric().kind() == kind).toList();
    }

    private static List<CaseOutcome> some(List<CaseOutcome> outcomes, Metric.Kind kind, String role) {
        return some(outcomes, kind).stream()
                .filter(one -> one.role().equals(role))
                .toList();
    }

    private static String percent(@Nullable Double share) {
        return share == null ? "" : Quantities.fixed(100 * share, 1) + " %";
    }

    private static String signed(@Nullable Double share) {
        return (share != null && share >= 0 ? "+" : "") + percent(share);
    }
}
