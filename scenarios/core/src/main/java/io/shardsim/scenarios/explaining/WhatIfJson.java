package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Trial;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.ResultsJson;
import java.util.List;

/** Formats prices as JSON. */
public final class WhatIfJson {
    private WhatIfJson() {}

    /** Returns JSON that is equal for equal prices, whatever the number of threads. */
    public static String write(List<Prices> all) {
        return new JsonObject().list("runs", all, WhatIfJson::run).text();
    }

    private static JsonObject run(Prices prices) {
        JsonObject out = new JsonObject()
                .with("name", prices.name())
                .with("label", prices.run().label())
                .with("gpus", prices.run().gpus())
                .with("status", prices.run().status().id());
        if (!prices.fits()) {
            return out.with("remedy", prices.run().remedy());
        }
        Prices.Priced bound = prices.bound();
        return out.with("samples_per_second", prices.samplesPerSecond())
                .with("bound_by", bound == null ? null : bound.resource())
                .list("resources", prices.resources(), one -> resource(one, prices))
                .list("settings", prices.knobs(), knob -> trial(knob.trial()).with("gain", knob.gain()))
                .list("without_effect", prices.others().withoutEffect(), WhatIfJson::trial)
                .list("too_large", prices.others().tooLarge(), WhatIfJson::trial)
                .with("too_long", prices.others().tooLong());
    }

    private static JsonObject resource(Prices.Priced one, Prices prices) {
        double usual = prices.samplesPerSecond();
        return new JsonObject()
                .with("resource", one.resource())
                .with("derivative", one.derivative())
                .with("better_samples_per_second", one.betterPerSecond())
                .with("better_gain", one.betterPerSecond() / usual - 1)
                .with("worse_samples_per_second", one.worsePerSecond())
                .with("worse_gain", one.worsePerSecond() / usual - 1);
    }

    /** Formats a trial as in results.json, but with the speed unrounded. */
    private static JsonObject trial(Trial trial) {
        return ResultsJson.trial(trial)
                .with("samples_per_second", trial.fit().fits() ? trial.samplesPerSecond() : null);
    }
}
