package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.PointRuns;

/** What the process tells its caller. */
public final class ExitStatus {
    public static final int DONE = 0;
    /** The simulation failed. */
    public static final int FAILED = 1;
    /** Wrong usage or input. */
    public static final int USAGE = 2;
    /** Nothing of a scenario fits in memory. */
    public static final int OUT_OF_MEMORY = 3;
    /** A run did not come to what its scenario asserts. */
    public static final int ASSERTION = 4;
    /** Ended by the user, as shells count it: 128 + SIGINT. */
    public static final int INTERRUPTED = 130;

    /** The last line of the statuses in a command's help: whatever the command, the JVM ends so. */
    static final String SIGNALS = "129, 130, 143";

    static final String BY_SIGNAL = "interrupted by SIGHUP, SIGINT (Ctrl-C), SIGTERM";
    static final String INTERRUPTED_HELP = SIGNALS + " " + BY_SIGNAL;

    private ExitStatus() {}

    /** What the runs of a command come to by themselves. */
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
