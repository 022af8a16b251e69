package io.shardsim.scenarios.planning;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.scenarios.scenario.Variations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A plan for programs. */
public final class PlanJson {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private PlanJson() {}

    /** Equal for equal plans, whatever the threads. */
    public static String write(Plan plan, Variations file) {
        List<Map<String, Object>> candidates = new ArrayList<>();
        for (Plan.Ranked one : plan.best()) {
            candidates.add(candidate(one, candidates.size() + 1, file));
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("scenario", plan.scenario());
        document.put("candidates", candidates);
        document.put("searched", plan.counts().searched());
        document.put("pruned_by_memory", plan.counts().prunedByMemory());
        document.put("pruned_by_bound", plan.counts().prunedByBound());
        document.put("simulated", plan.counts().simulated());
        document.put("too_large", plan.tooLarge().size());
        plan.tooLarge().stream().findFirst().ifPresent(one -> document.put("too_large_because", one.words()));
        document.put("refused", plan.counts().refused());
        document.put("complete", plan.complete());
        return MAPPER.writeValueAsString(document) + "\n";
    }

    private static Map<String, Object> candidate(Plan.Ranked one, int rank, Variations file) {
        Map<String, Object> scenario = file.file(one.candidate().settings());
        Map<String, Object> candidate = new LinkedHashMap<>();
        candidate.put("rank", rank);
        for (String block : List.of("strategy", "training", "cluster")) {
            candidate.put(block, scenario.getOrDefault(block, Map.of()));
        }
        candidate.put("step_seconds", one.run().step().stepSeconds());
        candidate.put("samples_per_second", one.samplesPerSecond());
        candidate.put(
                "peak_memory_bytes_per_gpu", one.run().facts().ledger().fit().reservedBytes());
        candidate.put("tight", one.isTight());
        candidate.put("days", one.cost().days());
        candidate.put("usd", one.cost().hasPrice() ? one.cost().usd() : null);
        candidate.put("interval", interval(one));
        candidate.put("digest", one.run().digest());
        return candidate;
    }

    /** Samples per second that 80 % of such runs measure, by the errors of published sources; absent where none is similar. */
    private static @Nullable List<Double> interval(Plan.Ranked one) {
        ErrorInterval errors = one.run().facts().accuracy();
        return errors == null
                ? null
                : List.of(one.samplesPerSecond() / (1 + errors.high()), one.samplesPerSecond() / (1 + errors.low()));
    }
}
