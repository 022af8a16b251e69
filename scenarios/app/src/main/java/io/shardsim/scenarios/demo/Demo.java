package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Predicate;

/**
 * The teaching page: what it shows, and how that runs.
 *
 * @param fits whether a point fits in memory; nothing runs
 * @param threads runs that go on at once
 */
public record Demo(DemoScenario scenario, RunRecorder runs, Predicate<ScenarioPoint> fits, int threads) {
    /**
     * A server of the page, not started yet.
     *
     * @param place with port 0, any that is free
     */
    public DemoServer at(InetSocketAddress place) throws IOException {
        return new DemoServer(this, place);
    }
}
