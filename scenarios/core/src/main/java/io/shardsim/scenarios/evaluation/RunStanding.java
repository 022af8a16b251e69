package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.Quantities;
import io.shardsim.simulator.run.RunProgress;
import java.util.Locale;

/** Formats the progress of a run. */
final class RunStanding {
    /** Events of over a second on one core; shorter runs need no description [events]. */
    private static final long LONG = 5_000_000;

    private RunStanding() {}

    /** Describes a run, for example {@code at 12.4 ms, 12.3 of at most 440 million events, heap 1.2 of 6.0 GiB}; empty for a short run. */
    static String words(RunProgress run) {
        Runtime jvm = Runtime.getRuntime();
        return words(run, jvm.totalMemory() - jvm.freeMemory(), jvm.maxMemory());
    }

    static String words(RunProgress run, long usedBytes, long heapBytes) {
        if (run.eventsMax() < LONG) {
            return "";
        }
        return "at " + Quantities.seconds(run.nowPs() * 1e-12)
                + String.format(
                        Locale.ROOT,
                        ", %.1f of at most %.0f million events, heap %.1f of %.1f GiB",
                        run.events() * 1e-6,
                        run.eventsMax() * 1e-6,
                        gib(usedBytes),
                        gib(heapBytes));
    }

    private static double gib(long bytes) {
        return (double) bytes / (1L << 30);
    }
}
