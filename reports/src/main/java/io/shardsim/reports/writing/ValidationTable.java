package io.shardsim.reports.writing;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.ErrorSummary;
import io.shardsim.reports.validation.FitOutcome;
import io.shardsim.reports.validation.Metric;
import io.shardsim.reports.validation.StrategyPair;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the terminal shows of a validation: one line a figure, one a pair of strategies, then the errors by kind of figure, family and GPU. Plain text. */
public final class ValidationTable {
    private static final int ID_WIDTH_MIN = 12;
    /** What a line needs beside the case's name. */
    private static final int FIGURES_WIDTH = 64;
    /** What the line of a pair needs beside the names. */
    private static final int PAIR_FIGURES_WIDTH = 45;

    /** What the line of a summary needs beside its title and the name of the worst case. */
    private static final int SUMMARY_FIGURES_WIDTH = 39;
    /** In less room the worst case is not named. */
    private static final int WORST_WIDTH_MIN = 10;

    private static final String BIAS = """
            bias: mean error with its sign; positive: the simulator is too fast (rates
            above, times below the measured ones), or its peak of memory too large
            """;

    private ValidationTable() {}

    /**
     * @param fits whether published runs had room in memory
     * @param width characters that a line may have; names of cases are cut to it
     */
    public static String write(List<CaseOutcome> outcomes, List<FitOutcome> fits, int width) {
        return (outcomes.isEmpty() ? "" : figures(outcomes, width)) + memoryOutcomes(fits);
    }

    /** The wrong ones by name, and how many there are of each kind. */
    private static String memoryOutcomes(List<FitOutcome> fits) {
        if (fits.isEmpty()) {
            return "";
        }
        StringBuilder out = new StringBuilder();
        fits.stream()
                .filter(one -> !one.isRight())
                .forEach(one -> out.append(one.published().id())
                        .append(one.ran() ? ": ran, simulated does not fit" : ": out of memory, simulated fits")
                        .append('\n'));
        FitOutcome.Count count = FitOutcome.count(fits);
        return out.append("memory outcomes: ")
                .append(count.all())
                .append(", right ")
                .append(share(count, count.right()))
                .append(", false \"fits\" ")
                .append(share(count, count.falseFits()))
                .append(", false \"does not fit\" ")
                .append(share(count, count.falseRefusals()))
                .append('\n')
                .toString();
    }

    private static String share(FitOutcome.Count count, int some) {
        return some + " (" + Quantities.fixed(100 * count.share(some), 1) + " %)";
    }

    private static String figures(List<CaseOutcome> outcomes, int width) {
        int longest = outcomes.stream().mapToInt(o -> o.id().length()).max().orElse(0);
        int idWidth = Math.max(ID_WIDTH_MIN, Math.min(longest, width - FIGURES_WIDTH));
        StringBuilder out = new StringBuilder();
        line(out, idWidth, "case", "role", "figure", "measured", "simulated", "error");
        out.append("-".repeat(idWidth + FIGURES_WIDTH)).append('\n');
        for (CaseOutcome outcome : outcomes) {
            line(
                    out,
                    idWidth,
                    outcome.id(),
                    outcome.role(),
                    unit(outcome.metric()),
                    figure(outcome.metric(), outcome.measured()),
                    figure(outcome.metric(), outcome.simulated()),
                    error(outcome.error()) + (outcome.fits() ? "" : " *"));
        }
        long tooLarge = outcomes.stream().filter(outcome -> !outcome.fits()).count();
        if (tooLarge > 0) {
            out.append("* ran, though the memory ledger finds it too large: ")
                    .append(tooLarge)
                    .append(tooLarge == 1 ? " figure\n" : " figures\n");
        }
        pairs(out, StrategyPair.of(outcomes), width);
        List<CaseOutcome> byKind = outcomes.stream()
                .sorted(Comparator.comparing(outcome -> outcome.metric().kind()))
                .toList();
        summary(out, "figures", ErrorSummary.by(one -> kindAndRole(one), byKind), width);
        List<CaseOutcome> released = CaseOutcome.released(byKind);
        if (!released.isEmpty()) {
            summary(out, "by framework and release", ErrorSummary.by(one -> kindAndRole(one), released), width);
        }
        summary(out, "family", ErrorSummary.by(one -> one.published().family() + ofKind(one), outcomes), width);
        summary(out, "GPU", ErrorSummary.by(one -> one.published().gpu() + ofKind(one), outcomes), width);
        out.append('\n').append(BIAS);
        return out.toString();
    }

    /** Of training speeds, which are most, the role alone. */
    private static String ofKind(CaseOutcome outcome) {
        return ", " + (outcome.metric().kind() == Metric.Kind.TRAINING_SPEED ? outcome.role() : kindAndRole(outcome));
    }

    private static String kindAndRole(CaseOutcome outcome) {
        return outcome.metric().kind().words() + ", " + outcome.role();
    }

    private static void line(
            StringBuilder out,
            int idWidth,
            String id,
            String role,
            String figure,
            String measured,
            String simulated,
            String error) {
        out.append((padded(shortened(id, idWidth), idWidth) + "  " + padded(role, 11) + "  " + padded(figure, 14)
                                + before(measured, 11) + before(simulated, 11) + before(error, 12))
                        .stripTrailing())
                .append('\n');
    }

    private static void summary(StringBuilder out, String title, Map<String, ErrorSummary> summaries, int limit) {
        int width = title.length();
        for (String key : summaries.keySet()) {
            width = Math.max(width, key.length());
        }
        int rest = limit - width - SUMMARY_FIGURES_WIDTH;
        out.append('\n')
                .append(padded(title, width)
                        + before("n", 5)
                        + before("MAPE", 8)
                        + before("median", 8)
                        + before("bias", 8)
                        + before("worst", 8)
                        + (rest < WORST_WIDTH_MIN ? "" : "  worst case"))
                .append('\n');
        for (Map.Entry<String, ErrorSummary> entry : summaries.entrySet()) {
            ErrorSummary s = entry.getValue();
            String worst = s.worstCase() == null ? "-" : s.worstCase();
            out.append(padded(entry.getKey(), width)
                            + before(String.valueOf(s.count()), 5)
                            + before(size(s.mape()), 8)
                            + before(size(s.median()), 8)
                            + before(error(s.bias()), 8)
                            + before(size(s.worst()), 8)
                            + (rest < WORST_WIDTH_MIN ? "" : "  " + shortened(worst, rest))
                            + (s.withoutFigure() == 0 ? "" : " (" + s.withoutFigure() + " do not fit in memory)"))
                    .append('\n');
        }
    }

    private static void pairs(StringBuilder out, List<StrategyPair> pairs, int width) {
        if (pairs.isEmpty()) {
            return;
        }
        int longest =
                pairs.stream().mapToInt(pair -> versus(pair).length()).max().orElse(0);
        int nameWidth = Math.max(ID_WIDTH_MIN, Math.min(longest, width - PAIR_FIGURES_WIDTH));
        out.append('\n')
                .append(padded("the faster over the slower strategy", nameWidth))
                .append(before("measured", 11))
                .append(before("simulated", 11))
                .append(before("points", 9))
                .append('\n');
        for (StrategyPair pair : pairs) {
            out.append(padded(shortened(versus(pair), nameWidth), nameWidth))
                    .append(before(error(pair.measured()), 11))
                    .append(before(error(pair.simulated()), 11))
                    .append(before(points(pair.difference()), 9))
                    .append(pair.ranked() ? "" : "  ranked wrong")
                    .append('\n');
        }
        long right = pairs.stream().filter(StrategyPair::ranked).count();
        out.append("the faster strategy is found in ")
                .append(right)
                .append(" of ")
                .append(pairs.size())
                .append(pairs.size() == 1 ? " pair\n" : " pairs\n");
    }

    private static String versus(StrategyPair pair) {
        return pair.faster() + " over " + pair.slower();
    }

    private static String points(@Nullable Double difference) {
        return difference == null ? "-" : (difference < 0 ? "" : "+") + Quantities.fixed(100 * difference, 1);
    }

    private static String unit(Metric metric) {
        return switch (metric) {
            case SAMPLES_PER_SECOND -> "samples/s";
            case STEP_SECONDS -> "s a step";
            case TOKENS_PER_SECOND_PER_GPU -> "tokens/s/GPU";
            case TFLOPS_PER_GPU -> "TFLOPS/GPU (8 N, AWS)";
            case PEAK_ALLOCATED_GIB -> "GiB allocated";
            case PEAK_RESERVED_GIB -> "GiB reserved";
            case COLLECTIVE_SECONDS -> "ms";
            case ALGORITHM_BANDWIDTH_BYTES_PER_SECOND -> "GB/s";
            case BUS_BANDWIDTH_BYTES_PER_SECOND -> "GB/s (bus)";
        };
    }

    private static String figure(Metric metric, @Nullable Double value) {
        if (value == null) {
            return "-";
        }
        double scaled = switch (metric) {
            case COLLECTIVE_SECONDS -> value * 1e3;
            case ALGORITHM_BANDWIDTH_BYTES_PER_SECOND, BUS_BANDWIDTH_BYTES_PER_SECOND -> value * 1e-9;
            default -> value;
        };
        return Quantities.number(scaled, 4);
    }

    private static String error(@Nullable Double error) {
        return error == null ? "-" : (error < 0 ? "" : "+") + Quantities.fixed(100 * error, 1) + " %";
    }

    private static String size(@Nullable Double size) {
        return size == null ? "-" : Quantities.fixed(100 * size, 1) + " %";
    }

    private static String shortened(String text, int width) {
        return text.length() > width ? text.substring(0, width - 1) + "~" : text;
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private static String before(String text, int width) {
        return " ".repeat(Math.max(1, width - text.length())) + text;
    }
}
