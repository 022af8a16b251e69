package io.shardsim.scenarios.composition;

import io.shardsim.scenarios.demo.DemoScenario;
import io.shardsim.scenarios.demo.DemoServer;
import java.io.IOException;
import java.net.InetAddress;
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

    /** A server of the teaching page, not started yet. */
    public static DemoServer demo(DemoScenario scenario, InetAddress address, int port, int threads)
            throws IOException {
        LoggerFactory.getILoggerFactory();
        PointSimulation simulation = new PointSimulation(threads, true);
        return new DemoServer(scenario, simulation::run, PointSimulation::fits, address, port, threads);
    }

    /** Reports as files and on the terminal. */
    public static ReportWriter reports() {
        return new ReportFiles();
    }
}
