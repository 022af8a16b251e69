package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.Setting;
import io.shardsim.reports.StepBreakdown;
import io.shardsim.simulator.yaml.InputException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A training run to compare, simulated or read from results.json.
 *
 * @param name name on the command line
 * @param label strategy and number of GPUs
 * @param settings the resolved scenario by dotted key
 * @param timed its step; null if it does not fit in memory
 * @param remedy a change with which it fits; empty if it fits
 */
record ComparedRun(
        String name,
        String label,
        Map<String, Setting> settings,
        @Nullable Timed timed,
        String remedy) {
    /**
     * A step that ran.
     *
     * @param tokens tokens per step over all GPUs
     */
    record Timed(StepBreakdown step, long tokens, double samplesPerSecond, String digest) {}

    ComparedRun(String name, String label, Map<String, Setting> settings, @Nullable Timed timed, String remedy) {
        this.name = name;
        this.label = label;
        this.settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        this.timed = timed;
        this.remedy = remedy;
    }

    /** @throws InputException for a bare collective, which has no step */
    static ComparedRun of(RunName name, RunResult run) throws InputException {
        if (run.facts().training() == null) {
            throw new InputException(
                    name.written(), "is a bare collective and has no step to split; name a training run");
        }
        Map<String, Setting> settings = new LinkedHashMap<>();
        run.facts().settings().forEach(setting -> settings.put(setting.path(), setting));
        RunResult.Training step = run.training();
        return new ComparedRun(
                name.written(),
                label(run.label(), run.gpus()),
                settings,
                step == null
                        ? null
                        : new Timed(
                                step.breakdown(), tokens(run), step.samplesPerSecond(), String.valueOf(run.digest())),
                run.remedy() == null ? "" : run.remedy());
    }

    /** Returns tokens per step over all GPUs. */
    static long tokens(RunResult run) {
        RunFacts.Training model = run.facts().model();
        return Math.multiplyExact(model.globalBatch(), (long) model.sequenceLength());
    }

    static String label(String strategy, int gpus) {
        return strategy + " on " + Quantities.counted(gpus, "GPU");
    }
}
