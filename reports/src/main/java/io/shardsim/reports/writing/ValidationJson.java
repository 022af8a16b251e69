package io.shardsim.reports.writing;

import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.ErrorSummary;
import io.shardsim.reports.validation.FitOutcome;
import io.shardsim.reports.validation.Metric;
import io.shardsim.reports.validation.StrategyPair;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The document of {@code validate --json}: {@code cases}, each figure with its error, {@code strategy_pairs}, which strategy is faster by how much, and summaries of the
 * errors by kind of figure and role, the same with settings that follow from framework and release alone, by role, by family and by GPU; {@code memory_outcomes}, where cases say whether they ran. Errors and speed-ups are shares: 0.05 is 5 %. A figure that does not exist is {@code null}.
 */
public final class ValidationJson {
    private static final String OF_MEMORY = " of memory";

    private ValidationJson() {}

    /** @param fits whether published runs had room in memory; part of the document where there are any */
    public static String write(List<CaseOutcome> outcomes, List<FitOutcome> fits) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("cases", outcomes.stream().map(ValidationJson::row).toList());
        document.put(
                "strategy_pairs",
                StrategyPair.of(outcomes).stream().map(ValidationJson::pair).toList());
        document.put("kinds", kinds(outcomes));
        document.put("kinds_by_framework", kinds(CaseOutcome.released(outcomes)));
        document.put(
                "summary", summaries(one -> one.metric().isMemory() ? one.role() + OF_MEMORY : one.role(), outcomes));
        document.put("families", summaries(one -> one.published().family() + ofKind(one), outcomes));
        document.put("gpus", summaries(one -> one.published().gpu() + ofKind(one), outcomes));
        if (!fits.isEmpty()) {
            document.put("memory_outcomes", memoryOutcomes(fits));
        }
        return ResultsJson.WRITER.writeValueAsString(document) + "\n";
    }

    private static Map<String, Object> memoryOutcomes(List<FitOutcome> fits) {
        FitOutcome.Count count = FitOutcome.count(fits);
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("n", count.all());
        out.put("right", count.right());
        out.put("false_fits", count.falseFits());
        out.put("false_does_not_fit", count.falseRefusals());
        out.put("cases", fits.stream().map(ValidationJson::memoryOutcome).toList());
        return out;
    }

    private static Map<String, Object> memoryOutcome(FitOutcome outcome) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", outcome.published().id());
        row.put("role", outcome.published().role());
        row.put("ran", outcome.ran());
        row.put("fits", outcome.fits());
        return row;
    }

    private static Map<String, @Nullable Object> row(CaseOutcome outcome) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("id", outcome.id());
        row.put("role", outcome.role());
        row.put("metric", outcome.metric().id());
        row.put("measured", ResultsJson.decimal(outcome.measured()));
        row.put("simulated", decimal(outcome.simulated()));
        row.put("error", decimal(outcome.error()));
        row.put("simulated_by_framework", decimal(outcome.released()));
        row.put("kind", outcome.metric().kind().words());
        row.put("bias", decimal(outcome.bias()));
        row.put("confidence", outcome.published().confidence());
        row.put("family", outcome.published().family());
        row.put("gpu", outcome.published().gpu());
        row.put("fits", outcome.fits());
        return row;
    }

    private static Map<String, @Nullable Object> pair(StrategyPair pair) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("faster", pair.faster());
        row.put("slower", pair.slower());
        row.put("metric", pair.metric().id());
        row.put("measured_speed_up", ResultsJson.decimal(pair.measured()));
        row.put("simulated_speed_up", decimal(pair.simulated()));
        row.put("difference", decimal(pair.difference()));
        row.put("ranked", pair.ranked());
        return row;
    }

    /** By kind, then by role. */
    private static Map<String, Object> kinds(List<CaseOutcome> outcomes) {
        Map<String, Object> out = new LinkedHashMap<>();
        for (Metric.Kind kind : Metric.Kind.values()) {
            List<CaseOutcome> some =
                    outcomes.stream().filter(one -> one.metric().kind() == kind).toList();
            if (!some.isEmpty()) {
                out.put(kind.words(), summaries(CaseOutcome::role, some));
            }
        }
        return out;
    }

    private static String ofKind(CaseOutcome outcome) {
        return switch (outcome.metric().kind()) {
            case TRAINING_SPEED -> "";
            case COLLECTIVES -> " of collectives";
            case MEMORY -> OF_MEMORY;
        };
    }

    private static Map<String, Object> summaries(Function<CaseOutcome, String> group, List<CaseOutcome> outcomes) {
        Map<String, Object> out = new LinkedHashMap<>();
        ErrorSummary.by(group, outcomes).forEach((key, summary) -> out.put(key, summary(summary)));
        return out;
    }

    private static Map<String, @Nullable Object> summary(ErrorSummary summary) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("n", summary.count());
        out.put("mape", decimal(summary.mape()));
        out.put("worst", decimal(summary.worst()));
        out.put("worst_case", summary.worstCase());
        out.put("median", decimal(summary.median()));
        out.put("bias", decimal(summary.bias()));
        out.put("without_figure", summary.withoutFigure());
        return out;
    }

    private static @Nullable BigDecimal decimal(@Nullable Double value) {
        return value == null ? null : ResultsJson.decimal(value);
    }
}
