package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Names;
import io.shardsim.reports.Setting;
import io.shardsim.scenarios.explaining.Comparison.Contribution;
import io.shardsim.scenarios.explaining.Comparison.Difference;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A comparison for programs; seconds have all their digits, so that parts sum to the gap in the document as well. */
public final class CompareJson {
    static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    private CompareJson() {}

    /** Equal for equal comparisons, whatever the threads. */
    public static String write(Comparison comparison) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("a", run(comparison.a()));
        document.put("b", run(comparison.b()));
        document.put(
                "differences",
                comparison.differences().stream().map(CompareJson::difference).toList());
        if (comparison.fits()) {
            putSeconds(document, comparison);
        }
        return MAPPER.writeValueAsString(document) + "\n";
    }

    private static void putSeconds(Map<String, @Nullable Object> document, Comparison comparison) {
        document.put("same", comparison.isSame());
        document.put("tokens", comparison.tokens());
        document.put("change_seconds", seconds(comparison.bPs() - comparison.aPs()));
        Map<String, Long> a = comparison.aParts();
        Map<String, Long> b = comparison.bParts();
        List<Object> parts = new ArrayList<>();
        for (String name : comparison.partNames()) {
            Map<String, @Nullable Object> part = new LinkedHashMap<>();
            long before = a.getOrDefault(name, 0L);
            long after = b.getOrDefault(name, 0L);
            part.put("part", name);
            part.put("a_seconds", seconds(before));
            part.put("b_seconds", seconds(after));
            part.put("change_seconds", seconds(after - before));
            parts.add(part);
        }
        document.put("parts", parts);
        document.put(
                "causes",
                comparison.contributions().isEmpty()
                        ? null
                        : comparison.contributions().stream()
                                .map(one -> cause(one, comparison))
                                .toList());
        document.put("further_runs", comparison.reruns());
    }

    private static Map<String, @Nullable Object> run(ComparedRun run) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        ComparedRun.Timed timed = run.timed();
        out.put("name", run.name());
        out.put("label", run.label());
        out.put("status", timed == null ? "out_of_memory" : "ok");
        out.put("step_seconds", timed == null ? null : seconds(timed.step().stepPs()));
        out.put("samples_per_second", timed == null ? null : timed.samplesPerSecond());
        out.put("tokens_per_step", timed == null ? null : timed.tokens());
        out.put("digest", timed == null ? null : timed.digest());
        return out;
    }

    private static Map<String, @Nullable Object> difference(Difference difference) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("key", difference.key());
        out.put("cause", Names.id(difference.cause()));
        out.put("a", value(difference.a()));
        out.put("b", value(difference.b()));
        return out;
    }

    private static @Nullable Map<String, Object> value(@Nullable Setting setting) {
        return setting == null ? null : valueAndOrigin(setting);
    }

    private static Map<String, Object> valueAndOrigin(Setting setting) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("value", setting.value());
        out.put("origin", Names.id(setting.origin()));
        return out;
    }

    private static Map<String, @Nullable Object> cause(Contribution one, Comparison comparison) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("causes", one.causes().stream().map(Names::id).toList());
        out.put(
                "keys",
                comparison.differences().stream()
                        .filter(difference -> one.causes().contains(difference.cause()))
                        .map(Difference::key)
                        .toList());
        out.put("change_seconds", seconds(one.ps()));
        Map<String, Object> parts = new LinkedHashMap<>();
        one.changePs().forEach((part, ps) -> parts.put(part, seconds(ps)));
        out.put("change_seconds_by_part", parts);
        return out;
    }

    static BigDecimal seconds(long ps) {
        BigDecimal stripped = BigDecimal.valueOf(ps, 12).stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }
}
