package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** Formats an explanation as JSON. */
public final class ExplanationJson {
    private ExplanationJson() {}

    /** Returns JSON that is equal for equal explanations, whatever the number of threads. */
    public static String write(Explanation explanation) {
        return object(explanation).text();
    }

    public static JsonObject object(Explanation explanation) {
        List<Explanation.Log> logs = explanation.logs();
        RunResult run = logs.get(0).healthy();
        JsonObject out = new JsonObject()
                .with("name", explanation.name())
                .with("label", run.label())
                .with("gpus", run.gpus())
                .with("verdict", explanation.verdict());
        if (!explanation.fits()) {
            String remedy = logs.stream()
                    .map(log -> log.healthy().remedy())
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            return out.with("remedy", remedy);
        }
        out.list("logs", logs, ExplanationJson::log)
                .list("suspects", explanation.suspects(), one -> suspect(one, logs));
        if (explanation.verdict() == Explanation.Verdict.UNEXPLAINED) {
            out.list("pairs", explanation.beyond().pairs(), one -> suspect(one, logs))
                    .with("next_measurement", explanation.beyond().next());
        }
        return out.with("without_effect", explanation.others().withoutEffect())
                .with("too_large", explanation.others().tooLarge())
                .with("too_long", explanation.others().tooLong())
                .with("healthy_too", explanation.others().healthyToo())
                .with("ruled_out", explanation.others().ruledOut())
                .with("profile", explanation.others().profiled());
    }

    private static JsonObject log(Explanation.Log log) {
        return new JsonObject()
                .with("at", log.measured().at())
                .with("unit", log.measured().unit().words())
                .with("measured", log.measured().value())
                .with("healthy", log.figure(log.healthy()))
                .with("healthy_low", log.healthyLow())
                .with("healthy_high", log.healthyHigh())
                .with("times_as_fast", log.timesAsFast())
                .with("expected_low", StrictMath.expm1(log.expected().low()))
                .with("expected_high", StrictMath.expm1(log.expected().high()))
                .with("as_expected", log.isUsual())
                .with("usd_per_day", log.usdPerDay())
                .with("lost_usd_per_day", log.usdPerDay() * log.lostShare());
    }

    private static JsonObject suspect(Explanation.Suspect one, List<Explanation.Log> logs) {
        List<Double> simulated = IntStream.range(0, one.runs().size())
                .mapToObj(i -> logs.get(i).figure(one.runs().get(i)))
                .toList();
        return new JsonObject()
                .with("fault", one.fault())
                .with("title", one.title())
                .with("set", one.settings())
                .with("simulated", simulated)
                .with("deviations", one.deviations())
                .with("fits", one.explains())
                .with("likely", one.explains() ? one.share() : null)
                .with("look_at", one.look());
    }
}
