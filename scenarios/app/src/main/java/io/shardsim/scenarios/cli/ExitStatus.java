package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.PointRuns;

/** Exit statuses of the process. */
public final class ExitStatus {
    public static final int DONE = 0;
    /** The simulation failed. */
    public static final int FAILED = 1;
    /** Wrong usage or input. */
    public static final int USAGE = 2;
    /** No point of a scenario fits in memory. */
    public static final int OUT_OF_MEMORY = 3;
    /** An assertion of a scenario does not hold. */
    public static final int ASSERTION = 4;
    /** Interrupted by the user, by the shells' convention: 128 + SIGINT. */
    public static final int INTERRUPTED = 130;

    /** The last line of exit statuses in a command's help: the JVM's own, after a signal. */
    static final String SIGNALS = "129, 130, 143";

    static final String BY_SIGNAL = "interrupted by SIGHUP, SIGINT (Ctrl-C), SIGTERM";
    static final String INTERRUPTED_HELP = SIGNALS + " " + BY_SIGNAL;

    private ExitStatus() {}

    /** The status of finished runs, before their results are judged. */
    static int of(PointRuns runs) {
        if (runs.interrupted()) {
            return INTERRUPTED;
        }
        if (runs.failures().isEmpty()) {
            return DONE;
        }
        return runs.onlyRefused() ? USAGE : FAILED;
    }
}
