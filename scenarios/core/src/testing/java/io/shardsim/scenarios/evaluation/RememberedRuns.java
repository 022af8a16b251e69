package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Simulates, and remembers: several questions about one scenario share its runs, if they ask for them with the same options. */
public final class RememberedRuns implements RunnerFactory {
    private final Map<List<Object>, RunResult> results = new ConcurrentHashMap<>();

    @Override
    public ScenarioRunner create(RunOptions options) {
        return new ForwardingRunner(new PointSimulation(options)) {
            @Override
            public RunResult run(ScenarioPoint point) throws InterruptedException {
                List<Object> asked = List.of(options, point);
                RunResult result = results.get(asked);
                if (result == null) {
                    result = runner().run(point);
                    results.put(asked, result);
                }
                return result;
            }
        };
    }
}
