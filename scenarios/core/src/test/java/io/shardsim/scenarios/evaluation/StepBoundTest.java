package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.run.RunLimits;
import io.shardsim.simulator.run.Shortcut;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.simulator.run.SimulationSetup;
import io.shardsim.simulator.run.StepBound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No run beats its bound, nor the time left at any of its marks; also measures how tight bounds are. {@code -Dbound.seeds=N} draws more scenarios.
 */
@Tag("once")
@Tag("slow")
class StepBoundTest {
    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    @Test
    void noRunBeatsIt() throws Exception {
        List<Double> shares = new ArrayList<>();
        int seeds = Integer.getInteger("bound.seeds", 50);
        for (int seed = 0; seed < seeds; seed++) {
            Optional<ScenarioPoint> point = RandomScenario.point(seed);
            if (point.isEmpty()) {
                continue;
            }
            String what = "seed " + seed + ": " + RandomScenario.text(seed);
            try (PointSimulation simulation = new PointSimulation(
                    new RunOptions(1, true).running(RunOptions.TooLarge.SIMULATED), (setup, observer, endMaxPs) -> {
                        long boundPs = StepBound.ps(setup);
                        StepObservation observed = engine.run(setup, 1);
                        assertThat(boundPs).as(what).isPositive().isLessThanOrEqualTo(observed.endPs());
                        StepObservation inTime =
                                engine.run(setup, 1, null, new RunLimits(Long.MAX_VALUE, observed::endPs));
                        assertThat(inTime.digest()).as(what).isEqualTo(observed.digest());
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
        assertThat(sorted).hasSizeGreaterThan(seeds / 3);
    }

    @Test
    void aRunThatWillEndTooLateIsGivenUpEarly() throws Exception {
        ScenarioPoint point = ScenarioReader.readText("late", """
                scenario: late
                model: gpt2-1.5b
                cluster: {instance: p4d.24xlarge, nodes: 4}
                strategy: {kind: zero3}
                training: {attention: standard, sequence_length: 1024, global_batch: 256, micro_batch: 2}
                """).points().get(0);
        SimulationSetup setup = TrainingPoint.of(point).setup(Shortcut.allIf(true));
        StepObservation whole = engine.run(setup, 1);
        long boundPs = StepBound.ps(setup);
        AtomicLong asked = new AtomicLong();
        RunLimits hopeless = new RunLimits(whole.executedEvents() / 100, () -> {
            asked.incrementAndGet();
            return boundPs / 2;
        });
        assertThatThrownBy(() -> engine.run(setup, 1, null, hopeless))
                .isInstanceOf(RunLimitException.class)
                .hasMessageContaining("ends later than " + boundPs / 2 + " ps");
        assertThat(asked).as("at the first mark").hasValue(1);
        long latePs = (boundPs + whole.endPs()) / 2;
        assertThatThrownBy(() -> engine.run(setup, 1, null, new RunLimits(whole.executedEvents() - 1, () -> latePs)))
                .isInstanceOf(RunLimitException.class)
                .hasMessageContaining("ends later than");
    }
}
