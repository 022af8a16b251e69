package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.run.RunLimits;

/** Runs scenario points; thread-safe. */
public interface ScenarioRunner extends AutoCloseable {

    /**
     * Runs one point to its end.
     *
     * @return its result, also if it does not fit in memory
     * @throws InterruptedException when the calling thread is interrupted; the run is abandoned
     * @throws IllegalStateException when the simulation violates an invariant; the message says which
     */
    RunResult run(ScenarioPoint point) throws InterruptedException;

    /**
     * Runs one point within limits; some runners ignore them and run it to its end.
     *
     * @throws RunLimitException if the run was given up
     */
    default RunResult run(ScenarioPoint point, RunLimits limits) throws InterruptedException {
        return run(point);
    }

    /** Describes the current runs beyond the number of finished ones; empty if there is nothing to say. */
    default String standing() {
        return "";
    }

    @Override
    void close();
}
