package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.demo.Demo;
import io.shardsim.scenarios.demo.DemoScenario;
import io.shardsim.scenarios.evaluation.ReportWriter;
import io.shardsim.scenarios.evaluation.RunnerFactory;

/**
 * Services that the commands use.
 *
 * @param runners used only when there is something to run
 */
public record Services(RunnerFactory runners, ReportWriter reports, DemoFactory demos) {

    /** Creates the teaching page. */
    @FunctionalInterface
    public interface DemoFactory {
        Demo create(DemoScenario scenario, int threads);
    }
}
