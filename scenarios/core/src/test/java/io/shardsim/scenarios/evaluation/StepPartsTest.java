package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.run.SimulationEngine;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Work, slowdown, exposed and idle time sum to the step: on every rank, as the mean over ranks, and in the result document. {@code -Dparts.seeds=N}
 * draws more scenarios.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
@Tag("slow")
class StepPartsTest {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    @Test
    void sumToTheStepWhateverTheScenario() throws Exception {
        Set<String> strategies = new TreeSet<>();
        for (int seed = 0; seed < Integer.getInteger("parts.seeds", 100); seed++) {
            Optional<ScenarioPoint> point = RandomScenario.point(seed);
            if (point.isEmpty()) {
                continue;
            }
            List<StepObservation> observed = new ArrayList<>();
            try (PointSimulation simulation = new PointSimulation(
                    new RunOptions(1, true).running(RunOptions.TooLarge.SIMULATED), (setup, observer, endMaxPs) -> {
                        observed.add(engine.run(setup, 1));
                        return observed.get(observed.size() - 1);
                    })) {
                RunResult run = simulation.run(point.get());
                if (run.training() != null) {
                    check(run, observed.get(0), "seed " + seed + ": " + RandomScenario.text(seed));
                    strategies.add(run.facts().strategy().kind());
                }
            }
        }
        assertThat(strategies).hasSizeGreaterThanOrEqualTo(12);
    }

    private static void check(RunResult run, StepObservation observed, String what) {
        for (RankTotals rank : observed.ranks()) {
            long busyPs = sum(rank.workPs().values()) + rank.slowdownPs();
            assertThat(busyPs).as(what).isEqualTo(rank.busyPs().get(Stream.COMPUTE));
            assertThat(busyPs + sum(rank.exposedPs().values())).as(what).isEqualTo(rank.finishPs());
        }
        String document = ResultsJson.write(ScenarioResult.of("s", List.of(run)));
        JsonNode json = JSON.readTree(document).get("runs").get(0);
        BigDecimal parts = BigDecimal.ZERO;
        for (JsonNode part : json.get("breakdown")) {
            for (JsonNode seconds : part.isObject() ? part : List.of(part)) {
                parts = parts.add(seconds.decimalValue());
            }
        }
        assertThat(parts).as(what).isEqualByComparingTo(json.get("step_seconds").decimalValue());
        assertThat(BigDecimal.valueOf(observed.endPs(), 12)).as(what).isEqualByComparingTo(parts);
    }

    private static long sum(Collection<Long> picoseconds) {
        return picoseconds.stream().mapToLong(Long::longValue).sum();
    }
}
