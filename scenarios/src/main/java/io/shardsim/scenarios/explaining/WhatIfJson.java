package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Names;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.Trial;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prices for programs. */
public final class WhatIfJson {
    private WhatIfJson() {}

    /** Equal for equal prices, whatever the threads. */
    public static String write(List<Prices> all) {
        return CompareJson.MAPPER.writeValueAsString(
                        Map.of("runs", all.stream().map(WhatIfJson::run).toList()))
                + "\n";
    }

    private static Map<String, @Nullable Object> run(Prices prices) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("name", prices.name());
        out.put("label", prices.run().label());
        out.put("gpus", prices.run().gpus());
        out.put("status", prices.run().status().id());
        if (!prices.fits()) {
            out.put("remedy", prices.run().remedy());
            return out;
        }
        out.put("samples_per_second", prices.samplesPerSecond());
        Prices.Priced bound = prices.bound();
        out.put("bound_by", bound == null ? null : Names.id(bound.resource()));
        out.put(
                "resources",
                prices.resources().stream().map(one -> resource(one, prices)).toList());
        List<Object> knobs = new ArrayList<>();
        prices.knobs().forEach(knob -> {
            Map<String, @Nullable Object> entry = trial(knob.trial());
            entry.put("gain", knob.gain());
            knobs.add(entry);
        });
        out.put("settings", knobs);
        out.put(
                "without_effect",
                prices.others().withoutEffect().stream().map(WhatIfJson::trial).toList());
        out.put(
                "too_large",
                prices.others().tooLarge().stream().map(WhatIfJson::trial).toList());
        out.put("too_long", prices.others().tooLong());
        return out;
    }

    private static Map<String, Object> resource(Prices.Priced one, Prices prices) {
        double usual = prices.samplesPerSecond();
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("resource", Names.id(one.resource()));
        out.put("derivative", one.derivative());
        out.put("better_samples_per_second", one.betterPerSecond());
        out.put("better_gain", one.betterPerSecond() / usual - 1);
        out.put("worse_samples_per_second", one.worsePerSecond());
        out.put("worse_gain", one.worsePerSecond() / usual - 1);
        return out;
    }

    private static Map<String, @Nullable Object> trial(Trial trial) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("title", trial.title());
        out.put("set", trial.settings());
        out.put("status", (trial.fit().fits() ? RunResult.Status.OK : RunResult.Status.OUT_OF_MEMORY).id());
        out.put("samples_per_second", trial.fit().fits() ? trial.samplesPerSecond() : null);
        out.put("micro_batch", trial.microBatch());
        out.put("peak_memory_bytes_per_gpu", trial.fit().reservedBytes());
        return out;
    }
}
