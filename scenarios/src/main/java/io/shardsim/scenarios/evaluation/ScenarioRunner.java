package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;

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

    /** How the runs stand, for people, beyond how many are done; empty when there is nothing to say. */
    default String standing() {
        return "";
    }

    @Override
    void close();
}
