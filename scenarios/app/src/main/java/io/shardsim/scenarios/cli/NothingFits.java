package io.shardsim.scenarios.cli;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;

/** Message for a scenario of which no point fits in memory. */
final class NothingFits {
    private NothingFits() {}

    /** By how much the closest point misses, and what would fit. */
    static String words(ScenarioResult result) {
        RunResult nearest = result.runs().get(0);
        for (RunResult run : result.runs()) {
            if (missing(run) < missing(nearest)) {
                nearest = run;
            }
        }
        String remedy = nearest.remedy();
        return result.scenario() + " does not fit in memory: " + nearest.label() + " on "
                + Quantities.counted(nearest.gpus(), "GPU") + ": "
                + MemoryWords.missing(nearest.facts().ledger().fit()) + (remedy == null ? "" : "; " + remedy);
    }

    private static long missing(RunResult run) {
        return run.facts().ledger().fit().missingBytes();
    }
}
