package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.simulator.run.StepBound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** That no run beats its bound, and how near bounds are. {@code -Dbound.seeds=N} draws more scenarios. */
class StepBoundTest {
    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    @Test
    void noRunBeatsIt() throws Exception {
        List<Double> shares = new ArrayList<>();
        for (int seed = 0; seed < Integer.getInteger("bound.seeds", 150); seed++) {
            Optional<ScenarioPoint> point = RandomScenario.point(seed);
            if (point.isEmpty()) {
                continue;
            }
            String what = "seed " + seed + ": " + RandomScenario.text(seed);
            try (PointSimulation simulation = new PointSimulation(
                    new RunOptions(1, true).running(RunOptions.TooLarge.SIMULATED), (setup, observer) -> {
                        long boundPs = StepBound.ps(setup);
                        StepObservation observed = engine.run(setup, 1);
                        assertThat(boundPs).as(what).isPositive().isLessThanOrEqualTo(observed.endPs());
                        shares.add((double) boundPs / observed.endPs());
                        return observed;
                    })) {
                simulation.run(point.get());
            }
        }
        double[] sorted =
                shares.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        System.out.println(sorted.length + " runs: bound over step "
                + Arrays.toString(new double[] {
                    sorted[0], sorted[sorted.length / 4], sorted[sorted.length / 2], sorted[sorted.length - 1]
                }));
        assertThat(sorted).hasSizeGreaterThan(50);
    }
}
