package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.demo.Demo;
import io.shardsim.scenarios.demo.DemoScenario;
import io.shardsim.scenarios.evaluation.ReportWriter;
import io.shardsim.scenarios.evaluation.RunnerFactory;

/**
 * What the commands are given.
 *
 * @param runners asked only when there is something to run
 */
public record Services(RunnerFactory runners, ReportWriter reports, DemoFactory demos) {

    /** Makes the teaching page. */
    @FunctionalInterface
    public interface DemoFactory {
        Demo create(DemoScenario scenario, int threads);
    }
}
