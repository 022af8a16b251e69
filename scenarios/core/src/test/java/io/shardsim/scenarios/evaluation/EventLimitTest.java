package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A run with too many events is given up, and no other run is. */
class EventLimitTest {
    @Test
    void aRunThatTakesMoreIsGivenUpAndTheOthersGoOn() throws Exception {
        Scenario scenario = ScenarioReader.readText("a.yaml", """
                scenario: limited
                model: {hidden: 1024, layers: 4, heads: 16, vocab: 32000}
                cluster: {instance: p4d.24xlarge, nodes: 2}
                training: {sequence_length: 512, global_batch: 16}
                strategy: {kind: zero3}
                sweep: {cluster.nodes: [1, 2]}
                """);
        long least;
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            least = simulation.run(scenario.points().get(0)).effort().executedEvents();
            assertThat(simulation.run(scenario.points().get(1)).effort().executedEvents())
                    .isGreaterThan(least + least / 2);
        }
        PointRuns runs = new PointRuns(List.of(scenario), 2, true);
        try (PointSimulation simulation = new PointSimulation(new RunOptions(2, true).within(least))) {
            runs.runAll(simulation, (share, what) -> {});
        }
        ScenarioPoint small = scenario.points().get(0);
        ScenarioPoint large = scenario.points().get(1);
        assertThat(runs.failures()).isEmpty();
        assertThat(runs.result(small)).isNotNull();
        assertThat(runs.isGivenUp(small)).isFalse();
        assertThat(runs.result(large)).isNull();
        assertThat(runs.isGivenUp(large)).isTrue();
    }
}
