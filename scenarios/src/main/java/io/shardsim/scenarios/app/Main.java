package io.shardsim.scenarios.app;

import io.shardsim.scenarios.cli.Services;
import io.shardsim.scenarios.cli.ShardsimCommand;
import io.shardsim.scenarios.demo.DemoScenario;
import io.shardsim.scenarios.demo.DemoServer;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import java.io.IOException;
import java.net.InetAddress;
import org.slf4j.LoggerFactory;

/** Where the program starts. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.exit(ShardsimCommand.run(arguments, services()));
    }

    /** What the commands are given: an engine that simulates, reports as files, the teaching page. */
    public static Services services() {
        return new Services(Main::runner, new ReportFiles(), Main::demo);
    }

    private static ScenarioRunner runner(RunOptions options) {
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
}
