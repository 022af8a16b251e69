package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Names;
import io.shardsim.reports.RunResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An explanation for programs. */
public final class ExplanationJson {
    private ExplanationJson() {}

    /** Equal for equal explanations, whatever the threads. */
    public static String write(Explanation explanation) {
        RunResult run = explanation.logs().get(0).healthy();
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("name", explanation.name());
        out.put("label", run.label());
        out.put("gpus", run.gpus());
        out.put("verdict", Names.id(explanation.verdict()));
        if (!explanation.fits()) {
            out.put(
                    "remedy",
                    explanation.logs().stream()
                            .map(log -> log.healthy().remedy())
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElse(null));
            return CompareJson.MAPPER.writeValueAsString(out) + "\n";
        }
        out.put("logs", explanation.logs().stream().map(ExplanationJson::log).toList());
        out.put(
                "suspects",
                explanation.suspects().stream()
                        .map(one -> suspect(one, explanation.logs()))
                        .toList());
        if (explanation.verdict() == Explanation.Verdict.UNEXPLAINED) {
            out.put(
                    "pairs",
                    explanation.beyond().pairs().stream()
                            .map(one -> suspect(one, explanation.logs()))
                            .toList());
            out.put("next_measurement", explanation.beyond().next());
        }
        out.put("without_effect", explanation.others().withoutEffect());
        out.put("too_large", explanation.others().tooLarge());
        out.put("too_long", explanation.others().tooLong());
        out.put("ruled_out", explanation.others().ruledOut());
        return CompareJson.MAPPER.writeValueAsString(out) + "\n";
    }

    private static Map<String, Object> log(Explanation.Log log) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("at", log.measured().at());
        out.put("unit", log.measured().unit().words());
        out.put("measured", log.measured().value());
        out.put("healthy", log.figure(log.healthy()));
        out.put("times_as_fast", log.timesAsFast());
        out.put("expected_low", StrictMath.expm1(log.expected().low()));
        out.put("expected_high", StrictMath.expm1(log.expected().high()));
        out.put("as_expected", log.isUsual());
        return out;
    }

    private static Map<String, @Nullable Object> suspect(Explanation.Suspect one, List<Explanation.Log> logs) {
        List<Double> simulated = new ArrayList<>();
        for (int i = 0; i < one.runs().size(); i++) {
            simulated.add(logs.get(i).figure(one.runs().get(i)));
        }
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("fault", one.fault());
        out.put("title", one.title());
        out.put("set", one.settings());
        out.put("simulated", simulated);
        out.put("deviations", one.deviations());
        out.put("fits", one.explains());
        out.put("likely", one.explains() ? one.share() : null);
        out.put("look_at", one.look());
        return out;
    }
}
