package io.shardsim.reports.validation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Error statistics of several cases.
 *
 * @param count cases with an error
 * @param mape mean absolute error [1]; absent without cases
 * @param median median absolute error [1]; absent without cases
 * @param bias mean of {@link CaseOutcome#bias}: positive if the simulator is too fast, or for memory too large [1]; absent without cases
 * @param worst largest absolute error [1]; absent without cases
 * @param worstCase case with the largest error; absent without cases
 * @param withoutFigure cases without a figure, because nothing fits in memory
 */
public record ErrorSummary(
        int count,
        @Nullable Double mape,
        @Nullable Double median,
        @Nullable Double bias,
        @Nullable Double worst,
        @Nullable String worstCase,
        int withoutFigure) {

    public static ErrorSummary of(Collection<CaseOutcome> outcomes) {
        List<Double> sizes = new ArrayList<>();
        double sum = 0;
        double signed = 0;
        double worst = 0;
        String worstCase = null;
        for (CaseOutcome outcome : outcomes) {
            Double error = outcome.error();
            Double bias = outcome.bias();
            if (error == null || bias == null) {
                continue;
            }
            double size = Math.abs(error);
            sizes.add(size);
            sum += size;
            signed += bias;
            if (worstCase == null || size > worst) {
                worst = size;
                worstCase = outcome.id();
            }
        }
        int n = sizes.size();
        int missing = outcomes.size() - n;
        return n == 0
                ? new ErrorSummary(0, null, null, null, null, null, missing)
                : new ErrorSummary(n, sum / n, median(sizes), signed / n, worst, worstCase, missing);
    }

    private static double median(List<Double> sizes) {
        List<Double> sorted = sizes.stream().sorted().toList();
        int n = sorted.size();
        return (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2;
    }

    /** Returns a summary for each group of outcomes, in the order of their first case. */
    public static Map<String, ErrorSummary> by(Function<CaseOutcome, String> group, Collection<CaseOutcome> outcomes) {
        Map<String, List<CaseOutcome>> groups = new LinkedHashMap<>();
        for (CaseOutcome outcome : outcomes) {
            groups.computeIfAbsent(group.apply(outcome), key -> new ArrayList<>())
                    .add(outcome);
        }
        Map<String, ErrorSummary> summaries = new LinkedHashMap<>();
        groups.forEach((key, members) -> summaries.put(key, of(members)));
        return summaries;
    }
}
