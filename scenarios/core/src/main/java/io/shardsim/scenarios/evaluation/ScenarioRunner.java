package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.run.RunLimits;

/** Answers scenario points; may be asked by several threads at once. */
public interface ScenarioRunner extends AutoCloseable {

    /**
     * Runs one point to its end.
     *
     * @return what came of it; a point that does not fit in memory is a result, too
     * @throws InterruptedException when the calling thread is interrupted; the run is abandoned
     * @throws IllegalStateException when the simulation breaks one of its own rules; the message says which
     */
    RunResult run(ScenarioPoint point) throws InterruptedException;

    /**
     * Runs one point within limits; some runners do not know them, and run it to its end.
     *
     * @throws RunLimitException where the run was given up
     */
    default RunResult run(ScenarioPoint point, RunLimits limits) throws InterruptedException {
        return run(point);
    }

    /** How the runs stand, for people, beyond how many are done; empty when there is nothing to say. */
    default String standing() {
        return "";
    }

    @Override
    void close();
}
