package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.Quantities;
import io.shardsim.simulator.run.RunProgress;
import java.util.Locale;

/** How far a run is, for people. */
final class RunStanding {
    private RunStanding() {}

    /** For example {@code at 12.4 ms, 12.3 of at most 440 million events, heap 1.2 of 6.0 GiB}. */
    static String words(RunProgress run) {
        Runtime jvm = Runtime.getRuntime();
        return words(run, jvm.totalMemory() - jvm.freeMemory(), jvm.maxMemory());
    }

    static String words(RunProgress run, long usedBytes, long heapBytes) {
        String heap = String.format(Locale.ROOT, ", heap %.1f of %.1f GiB", gib(usedBytes), gib(heapBytes));
        if (run.eventsMax() == 0) {
            return "making devices" + heap;
        }
        return "at " + Quantities.seconds(run.nowPs() * 1e-12)
                + String.format(
                        Locale.ROOT,
                        ", %.1f of at most %.0f million events",
                        run.events() * 1e-6,
                        run.eventsMax() * 1e-6)
                + heap;
    }

    private static double gib(long bytes) {
        return (double) bytes / (1L << 30);
    }
}
