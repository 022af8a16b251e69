package io.shardsim.scenarios.planning;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.scenario.Variations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats a plan as JSON. */
public final class PlanJson {
    private PlanJson() {}

    /** Returns JSON that is equal for equal plans, whatever the number of threads. */
    public static String write(Plan plan, Variations file) {
        List<JsonObject> candidates = new ArrayList<>();
        plan.best().forEach(one -> candidates.add(candidate(one, candidates.size() + 1, file)));
        JsonObject document = new JsonObject()
                .with("scenario", plan.scenario())
                .with("candidates", candidates)
                .with("searched", plan.counts().searched())
                .with("pruned_by_framework", plan.counts().unwritten())
                .with("pruned_by_memory", plan.counts().prunedByMemory())
                .with("pruned_as_tight", plan.counts().tight())
                .with("pruned_by_bound", plan.counts().prunedByBound())
                .with("simulated", plan.counts().simulated())
                .with("too_large", plan.tooLarge().size());
        document.list("other_strategies", plan.others(true), PlanJson::other);
        document.list("unavailable_strategies", plan.others(false), PlanJson::other);
        plan.tooLarge().stream().findFirst().ifPresent(one -> document.with("too_large_because", one.words()));
        return document.with("refused", plan.counts().refused())
                .with("complete", plan.complete())
                .with("left", plan.ending().left())
                .with("unlisted", plan.ending().unlisted())
                .with("gap", plan.ending().gap())
                .text();
    }

    private static JsonObject other(Plan.Other other) {
        return new JsonObject()
                .with("strategy", other.kind())
                .with("software", Strategies.software(other.kind()).name())
                .with(
                        "samples_per_second",
                        other.run() == null ? null : other.run().step().samplesPerSecond())
                .with("proven", other.proven());
    }

    private static JsonObject candidate(Plan.Ranked one, int rank, Variations file) {
        Map<String, Object> scenario = file.file(one.candidate().settings());
        JsonObject candidate = new JsonObject()
                .with("rank", rank)
                .with("software", Strategies.software(one.candidate().kind()).name());
        List.of("strategy", "training", "cluster")
                .forEach(block -> candidate.with(block, scenario.getOrDefault(block, Map.of())));
        return candidate
                .with("step_seconds", one.run().meanStepSeconds())
                .with("samples_per_second", one.samplesPerSecond())
                .with(
                        "peak_memory_bytes_per_gpu",
                        one.run().facts().ledger().fit().reservedBytes())
                .with("tight", one.isTight())
                .with("days", one.cost().days())
                .with("usd", one.cost().hasPrice() ? one.cost().usd() : null)
                .with("interval", interval(one))
                .with("digest", one.run().digest());
    }

    /** Returns the range of samples per second that covers 80 % of similar runs, by the errors of published sources; null if none is similar. */
    private static @Nullable List<Double> interval(Plan.Ranked one) {
        ErrorInterval errors = one.run().facts().accuracy();
        return errors == null
                ? null
                : List.of(one.samplesPerSecond() / (1 + errors.high()), one.samplesPerSecond() / (1 + errors.low()));
    }
}
