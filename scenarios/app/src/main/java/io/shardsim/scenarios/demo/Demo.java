package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Predicate;

/**
 * The teaching page: its scenario, and how to run it.
 *
 * @param fits tests whether a point fits in memory, without running it
 * @param threads number of concurrent runs
 */
public record Demo(DemoScenario scenario, RunRecorder runs, Predicate<ScenarioPoint> fits, int threads) {
    /**
     * Creates a server of the page, not started yet.
     *
     * @param place address; port 0 picks a free one
     */
    public DemoServer at(InetSocketAddress place) throws IOException {
        return new DemoServer(this, place);
    }
}
