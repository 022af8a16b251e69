package io.shardsim.reports.writing;

import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.ErrorSummary;
import io.shardsim.reports.validation.FitOutcome;
import io.shardsim.reports.validation.Metric;
import io.shardsim.reports.validation.StrategyPair;
import java.util.List;
import java.util.function.Function;

/**
 * Writes the JSON of {@code validate --json}. {@code cases} has each figure and its error; {@code strategy_pairs} has which strategy is faster, and
 * by how much. Summaries of errors: {@code kinds} and {@code kinds_by_framework} (by kind of figure and role; the latter with settings from framework
 * and release alone), {@code summary} by role, {@code families} and {@code gpus}. {@code memory_outcomes} is present if any case says whether it ran.
 * Errors and speedups are shares: 0.05 is 5 %. A figure that does not exist is {@code null}.
 */
public final class ValidationJson {
    private static final String OF_MEMORY = " of memory";

    private ValidationJson() {}

    /** @param fits whether published runs fit in memory; part of the document if there are any */
    public static String write(List<CaseOutcome> outcomes, List<FitOutcome> fits) {
        JsonObject document = new JsonObject()
                .list("cases", outcomes, ValidationJson::row)
                .list("strategy_pairs", StrategyPair.of(outcomes), ValidationJson::pair)
                .with("kinds", kinds(outcomes))
                .with("kinds_by_framework", kinds(CaseOutcome.released(outcomes)))
                .with(
                        "summary",
                        summaries(one -> one.metric().isMemory() ? one.role() + OF_MEMORY : one.role(), outcomes))
                .with("families", summaries(one -> one.published().family() + ofKind(one), outcomes))
                .with("gpus", summaries(one -> one.published().gpu() + ofKind(one), outcomes));
        if (!fits.isEmpty()) {
            document.with("memory_outcomes", memoryOutcomes(fits));
        }
        return document.byLines();
    }

    private static JsonObject memoryOutcomes(List<FitOutcome> fits) {
        FitOutcome.Count count = FitOutcome.count(fits);
        return new JsonObject()
                .with("n", count.all())
                .with("right", count.right())
                .with("false_fits", count.falseFits())
                .with("false_does_not_fit", count.falseRefusals())
                .list(
                        "cases",
                        fits,
                        outcome -> new JsonObject()
                                .with("id", outcome.published().id())
                                .with("role", outcome.published().role())
                                .with("ran", outcome.ran())
                                .with("fits", outcome.fits()));
    }

    private static JsonObject row(CaseOutcome outcome) {
        return new JsonObject()
                .with("id", outcome.id())
                .with("role", outcome.role())
                .with("metric", outcome.metric().id())
                .figure("measured", outcome.measured())
                .figure("simulated", outcome.simulated())
                .figure("error", outcome.error())
                .figure("simulated_by_framework", outcome.released())
                .with("kind", outcome.metric().kind().words())
                .figure("bias", outcome.bias())
                .with("confidence", outcome.published().confidence())
                .with("family", outcome.published().family())
                .with("gpu", outcome.published().gpu())
                .with("fits", outcome.fits());
    }

    private static JsonObject pair(StrategyPair pair) {
        return new JsonObject()
                .with("faster", pair.faster())
                .with("slower", pair.slower())
                .with("metric", pair.metric().id())
                .figure("measured_speed_up", pair.measured())
                .figure("simulated_speed_up", pair.simulated())
                .figure("difference", pair.difference())
                .with("ranked", pair.ranked());
    }

    /** Summarizes errors by kind, then by role. */
    private static JsonObject kinds(List<CaseOutcome> outcomes) {
        JsonObject out = new JsonObject();
        for (Metric.Kind kind : Metric.Kind.values()) {
            List<CaseOutcome> some =
                    outcomes.stream().filter(one -> one.metric().kind() == kind).toList();
            if (!some.isEmpty()) {
                out.with(kind.words(), summaries(CaseOutcome::role, some));
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

    private static JsonObject summaries(Function<CaseOutcome, String> group, List<CaseOutcome> outcomes) {
        JsonObject out = new JsonObject();
        ErrorSummary.by(group, outcomes)
                .forEach((key, summary) -> out.with(
                        key,
                        new JsonObject()
                                .with("n", summary.count())
                                .figure("mape", summary.mape())
                                .figure("worst", summary.worst())
                                .with("worst_case", summary.worstCase())
                                .figure("median", summary.median())
                                .figure("bias", summary.bias())
                                .with("without_figure", summary.withoutFigure())));
        return out;
    }
}
