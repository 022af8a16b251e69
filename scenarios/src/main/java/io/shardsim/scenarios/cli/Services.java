package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.demo.DemoScenario;
import io.shardsim.scenarios.demo.DemoServer;
import io.shardsim.scenarios.evaluation.ReportWriter;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * What the commands are given.
 *
 * @param runners asked only when there is something to run
 */
public record Services(RunnerFactory runners, ReportWriter reports, DemoFactory demos) {

    /** Makes the server of the teaching page, not started yet. */
    @FunctionalInterface
    public interface DemoFactory {
        DemoServer create(DemoScenario scenario, InetSocketAddress place, int threads) throws IOException;
    }
}
