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

/**
 * Formats a validation for the terminal as plain text: one line per figure, one per pair of strategies, then errors by kind of figure, family and
 * GPU.
 */
public final class ValidationTable {
    private static final int ID_WIDTH_MIN = 12;
    /** Width of a line without the case's name. */
    private static final int FIGURES_WIDTH = 64;
    /** Width of a pair's line without the names. */
    private static final int PAIR_FIGURES_WIDTH = 45;

    /** Width of a summary line without its title and the name of the worst case. */
    private static final int SUMMARY_FIGURES_WIDTH = 39;
    /** Minimum width for naming the worst case. */
    private static final int WORST_WIDTH_MIN = 10;

    private static final String BIAS = """
        bias: signed mean error; positive: the simulator is too fast (rates
        above, times below the measured ones), or its peak of memory too large
        """;

    private ValidationTable() {}

    /**
     * @param fits whether published runs fit in memory
     * @param width maximum line width in characters; names of cases are cut to fit
     */
    public static String write(List<CaseOutcome> outcomes, List<FitOutcome> fits, int width) {
        return (outcomes.isEmpty() ? "" : figures(outcomes, width)) + memoryOutcomes(fits);
    }

    /** Lists wrong outcomes by name, and counts each kind. */
    private static String memoryOutcomes(List<FitOutcome> fits) {
        if (fits.isEmpty()) {
            return "";
        }
        StringBuilder out = new StringBuilder();
        fits.stream()
                .filter(one -> !one.isRight())
                .forEach(one -> out.append(one.published().id())
                        .append(one.ran() ? ": ran; simulated: does not fit" : ": ran out of memory; simulated: fits")
                        .append('\n'));
        FitOutcome.Count count = FitOutcome.count(fits);
        return out + "memory outcomes: " + count.all() + ", right " + share(count, count.right()) + ", false \"fits\" "
                + share(count, count.falseFits()) + ", false \"does not fit\" " + share(count, count.falseRefusals())
                + "\n";
    }

    private static String share(FitOutcome.Count count, int some) {
        return some + " (" + Quantities.fixed(100 * count.share(some), 1) + " %)";
    }

    private static String figures(List<CaseOutcome> outcomes, int width) {
        int longest = outcomes.stream().mapToInt(o -> o.id().length()).max().orElse(0);
        int idWidth = Math.max(ID_WIDTH_MIN, Math.min(longest, width - FIGURES_WIDTH));
        StringBuilder out = new StringBuilder();
        String row = "%-" + idWidth + "s  %-11s  %-14s %10s %10s %11s";
        out.append(row.formatted("case", "role", "figure", "measured", "simulated", "error"))
                .append('\n');
        out.append("-".repeat(idWidth + FIGURES_WIDTH)).append('\n');
        for (CaseOutcome outcome : outcomes) {
            out.append(row.formatted(
                            TextTable.cut(outcome.id(), idWidth),
                            outcome.role(),
                            unit(outcome.metric()),
                            figure(outcome.metric(), outcome.measured()),
                            figure(outcome.metric(), outcome.simulated()),
                            error(outcome.error()) + (outcome.fits() ? "" : " *")))
                    .append('\n');
        }
        long tooLarge = outcomes.stream().filter(outcome -> !outcome.fits()).count();
        if (tooLarge > 0) {
            out.append("* ran, but does not fit by the memory ledger: " + Quantities.counted((int) tooLarge, "figure")
                    + "\n");
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

    /** Returns the kind and role of a figure; only the role for training speeds, the majority. */
    private static String ofKind(CaseOutcome outcome) {
        return ", " + (outcome.metric().kind() == Metric.Kind.TRAINING_SPEED ? outcome.role() : kindAndRole(outcome));
    }

    private static String kindAndRole(CaseOutcome outcome) {
        return outcome.metric().kind().words() + ", " + outcome.role();
    }

    private static void summary(StringBuilder out, String title, Map<String, ErrorSummary> summaries, int limit) {
        int width = title.length();
        for (String key : summaries.keySet()) {
            width = Math.max(width, key.length());
        }
        int rest = limit - width - SUMMARY_FIGURES_WIDTH;
        String row = "%-" + width + "s %4s %7s %7s %7s %7s";
        boolean named = rest >= WORST_WIDTH_MIN;
        out.append('\n')
                .append(row.formatted(title, "n", "MAPE", "median", "bias", "worst"))
                .append(named ? "  worst case\n" : "\n");
        summaries.forEach((key, s) -> out.append(row.formatted(
                        key, s.count(), size(s.mape()), size(s.median()), error(s.bias()), size(s.worst())))
                .append(named ? "  " + TextTable.cut(s.worstCase() == null ? "-" : s.worstCase(), rest) : "")
                .append(s.withoutFigure() == 0 ? "\n" : " (" + s.withoutFigure() + " do not fit in memory)\n"));
    }

    private static void pairs(StringBuilder out, List<StrategyPair> pairs, int width) {
        if (pairs.isEmpty()) {
            return;
        }
        int longest =
                pairs.stream().mapToInt(pair -> versus(pair).length()).max().orElse(0);
        int nameWidth = Math.max(ID_WIDTH_MIN, Math.min(longest, width - PAIR_FIGURES_WIDTH));
        String row = "%-" + nameWidth + "s %10s %10s %8s";
        out.append('\n')
                .append(row.formatted("speed-up of the faster strategy", "measured", "simulated", "points"))
                .append('\n');
        for (StrategyPair pair : pairs) {
            out.append(row.formatted(
                            TextTable.cut(versus(pair), nameWidth),
                            error(pair.measured()),
                            error(pair.simulated()),
                            points(pair.difference())))
                    .append(pair.ranked() ? "\n" : "  ranked wrong\n");
        }
        long right = pairs.stream().filter(StrategyPair::ranked).count();
        out.append(
                "the faster strategy is found in " + right + " of " + Quantities.counted(pairs.size(), "pair") + "\n");
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
}
