package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Names;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.scenarios.explaining.Comparison.Contribution;
import io.shardsim.scenarios.explaining.Comparison.Difference;
import java.util.List;
import java.util.Map;

/** Formats a comparison as JSON; seconds are unrounded, so that parts sum to the gap. */
public final class CompareJson {
    private CompareJson() {}

    /** Returns JSON that is equal for equal comparisons, whatever the number of threads. */
    public static String write(Comparison comparison) {
        JsonObject document = new JsonObject()
                .with("a", run(comparison.a()))
                .with("b", run(comparison.b()))
                .list(
                        "differences",
                        comparison.differences(),
                        difference -> new JsonObject()
                                .with("key", difference.key())
                                .with("cause", difference.cause())
                                .object("a", difference.a(), ResultsJson::setting)
                                .object("b", difference.b(), ResultsJson::setting));
        if (comparison.fits()) {
            putSeconds(document, comparison);
        }
        return document.text();
    }

    private static void putSeconds(JsonObject document, Comparison comparison) {
        Map<String, Long> a = comparison.aParts();
        Map<String, Long> b = comparison.bParts();
        document.with("same", comparison.isSame())
                .with("tokens", comparison.tokens())
                .seconds("change_seconds", comparison.bPs() - comparison.aPs())
                .list(
                        "parts",
                        comparison.partNames(),
                        name -> part(name, a.getOrDefault(name, 0L), b.getOrDefault(name, 0L)))
                .list("causes", comparison.contributions(), one -> cause(one, comparison));
        if (comparison.contributions().isEmpty()) {
            document.with("causes", null);
        }
        document.with("further_runs", comparison.reruns());
    }

    private static JsonObject part(String name, long aPs, long bPs) {
        return new JsonObject()
                .with("part", name)
                .seconds("a_seconds", aPs)
                .seconds("b_seconds", bPs)
                .seconds("change_seconds", bPs - aPs);
    }

    private static JsonObject run(ComparedRun run) {
        ComparedRun.Timed timed = run.timed();
        return new JsonObject()
                .with("name", run.name())
                .with("label", run.label())
                .with("status", timed == null ? "out_of_memory" : "ok")
                .seconds("step_seconds", timed == null ? null : timed.step().stepPs())
                .with("samples_per_second", timed == null ? null : timed.samplesPerSecond())
                .with("tokens_per_step", timed == null ? null : timed.tokens())
                .with("digest", timed == null ? null : timed.digest());
    }

    private static JsonObject cause(Contribution one, Comparison comparison) {
        List<String> keys = comparison.differences().stream()
                .filter(difference -> one.causes().contains(difference.cause()))
                .map(Difference::key)
                .toList();
        return new JsonObject()
                .list("causes", one.causes(), Names::id)
                .with("keys", keys)
                .seconds("change_seconds", one.ps())
                .seconds("change_seconds_by_part", one.changePs());
    }
}
