package io.shardsim.scenarios.demo;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.run.RunObserver;
import org.jspecify.annotations.Nullable;

/** Runs a point to its end with an observer; thread-safe. */
@FunctionalInterface
public interface RunRecorder {
    /**
     * @param observer receives all events; null for none
     * @throws InterruptedException when the calling thread is interrupted; the run is abandoned
     */
    RunResult run(ScenarioPoint point, @Nullable RunObserver observer) throws InterruptedException;
}
