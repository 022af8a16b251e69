package io.shardsim.scenarios.cli;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;

/** What the files of a framework come to, as import reads them, beside what was planned. */
final class AsWritten {
    private static final String READ = "As import reads these files, the run ";

    private AsWritten() {}

    /** That it does not fit, or how fast it is; empty where it runs as planned. */
    static String words(RunResult written, RunResult planned) {
        if (!written.fits()) {
            return READ + "does not fit: it "
                    + MemoryWords.needs(written.facts().ledger().fit());
        }
        String reached = Quantities.threeDigits(written.step().samplesPerSecond());
        String hoped = Quantities.threeDigits(planned.step().samplesPerSecond());
        return reached.equals(hoped)
                ? ""
                : READ + "reaches " + reached + " samples/s, not the planned " + hoped + " samples/s";
    }
}
