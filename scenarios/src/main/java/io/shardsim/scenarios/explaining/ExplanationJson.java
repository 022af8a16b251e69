package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Names;
import io.shardsim.reports.RunResult;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An explanation for programs. */
public final class ExplanationJson {
    private ExplanationJson() {}

    /** Equal for equal explanations, whatever the threads. */
    public static String write(Explanation explanation) {
        RunResult healthy = explanation.healthy();
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("name", explanation.name());
        out.put("label", healthy.label());
        out.put("gpus", healthy.gpus());
        out.put("verdict", Names.id(explanation.verdict()));
        if (!explanation.fits()) {
            out.put("remedy", healthy.remedy());
            return CompareJson.MAPPER.writeValueAsString(out) + "\n";
        }
        Measured measured = explanation.measured();
        out.put("unit", measured.unit().words());
        out.put("measured", measured.value());
        out.put("healthy", measured.unit().of(healthy));
        out.put("times_as_fast", measured.timesAsFast(healthy));
        out.put(
                "expected",
                Map.of(
                        "low", StrictMath.expm1(explanation.expected().low()),
                        "high", StrictMath.expm1(explanation.expected().high())));
        out.put(
                "suspects",
                explanation.suspects().stream()
                        .map(one -> suspect(one, measured))
                        .toList());
        out.put("without_effect", explanation.others().withoutEffect());
        out.put("too_large", explanation.others().tooLarge());
        out.put("too_long", explanation.others().tooLong());
        return CompareJson.MAPPER.writeValueAsString(out) + "\n";
    }

    private static Map<String, @Nullable Object> suspect(Explanation.Suspect one, Measured measured) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("fault", one.fault());
        out.put("title", one.title());
        out.put("set", one.settings());
        out.put("simulated", one.run() == null ? null : measured.unit().of(one.run()));
        out.put("deviations", one.deviations());
        out.put("likely", one.share());
        out.put("look_at", one.look());
        return out;
    }
}
