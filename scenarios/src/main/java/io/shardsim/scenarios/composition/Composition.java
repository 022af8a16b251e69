package io.shardsim.scenarios.composition;

import org.slf4j.LoggerFactory;

/** The parts that the command line is given. */
public final class Composition {
    private Composition() {}

    /** A runner that simulates. */
    public static ScenarioRunner runner(RunOptions options) {
        // Several threads that log for the first time at once would make slf4j tell about its own start.
        LoggerFactory.getILoggerFactory();
        return new PointSimulation(options);
    }

    /** Reports as files and on the terminal. */
    public static ReportWriter reports() {
        return new ReportFiles();
    }
}
