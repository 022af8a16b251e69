package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.simulator.run.SimulationSetup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No shortcut or split changes the result of a scenario. {@code -Dexactness.seeds=N} draws more scenarios. */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class SameResultsHoweverExecutedTest {
    private static final int PROCESSES_MAX = 16;

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(PROCESSES_MAX);

    @Test
    @Tag("slow")
    @Tag("always")
    void whateverTheScenario() throws Exception {
        int compared = 0;
        int skipping = 0;
        for (int seed = 0; seed < Integer.getInteger("exactness.seeds", 16); seed++) {
            String text = RandomScenario.text(seed);
            Optional<ScenarioPoint> drawn = RandomScenario.point(seed);
            if (drawn.isEmpty()) {
                continue;
            }
            ScenarioPoint point = drawn.get();
            SplittableRandom random = new SplittableRandom(seed);
            int rank = random.nextInt(point.cluster().worldSize());
            Map<Integer, Long> straggler =
                    random.nextInt(3) == 0 ? Map.of(rank, 1_000L + random.nextInt(400)) : Map.of();
            skipping += compare(point, straggler, 2 + random.nextInt(PROCESSES_MAX - 1), "seed " + seed + ": " + text)
                    ? 1
                    : 0;
            compared++;
        }
        assertThat(compared).as("scenarios that could be read").isGreaterThan(8);
        assertThat(skipping).as("of which something was skipped").isGreaterThan(4);
    }

    /** Chunks to the same local rank of two nodes may pass their leaf at the same time. */
    @Test
    @Tag("slow")
    void whereNodesShareALeaf() throws Exception {
        String text = """
                scenario: shared-leaf
                cluster: {instance: p3dn.24xlarge, nodes: 5, nic: 77 Gbit/s, nodes_per_leaf: 2, nic_per_message: 3 us}
                model: {hidden: 1024, layers: 2, heads: 16, vocab: 4096}
                training: {sequence_length: 512, global_batch: 40, micro_batch: 2, precision: fp16}
                strategy: {kind: zero1, pipeline_parallel: 2}
                collectives: {library: smddp}
                """;
        compare(ScenarioReader.readText("leaf", text).points().get(0), Map.of(), 2, text);
    }

    /** Equal steps of a ring are skipped even while kernels run, and while gathers and reductions alternate. */
    @Test
    @Tag("slow")
    void whereRingsTakeManySteps() throws Exception {
        for (String strategy : List.of("{kind: zero3}", "{kind: fsdp}", "{kind: mics, shard_group: 64}")) {
            String text = """
                    scenario: rings
                    cluster: {instance: p4d.24xlarge, nodes: 8}
                    model: {hidden: 2048, layers: 2, heads: 16, vocab: 4096}
                    training: {sequence_length: 512, global_batch: 128, micro_batch: 1, activation_checkpointing: full}
                    strategy: %s
                    """.formatted(strategy);
            compare(ScenarioReader.readText("rings", text).points().get(0), Map.of(), 2, text);
        }
    }

    @Test
    void fewStepsOfALongRingAreExecuted() throws Exception {
        String text = """
                scenario: ring
                cluster: {instance: p4d.24xlarge, nodes: 16}
                workload: {collective: all_gather, size: 256 MiB}
                collectives: {algorithm: ring}
                """;
        ScenarioPoint point = ScenarioReader.readText("ring", text).points().get(0);
        assertThat(compare(point, Map.of(), 2, text)).isTrue();
        StepObservation skipped = run(point, Map.of(), true, 1, text);
        // One of 16 nodes is executed, and of it less than a third.
        assertThat(skipped.executedEvents() * 16 * 3).isLessThan(skipped.simulatedEvents());
    }

    /** Compares executing everything with skipping and with splitting; returns whether anything was skipped. */
    private static boolean compare(ScenarioPoint point, Map<Integer, Long> straggler, int processes, String what)
            throws InterruptedException {
        StepObservation all = run(point, straggler, false, 1, what);
        StepObservation skipped = run(point, straggler, true, 1, what);
        assertThat(skipped.digest()).as("skipping, " + what).isEqualTo(all.digest());
        assertThat(skipped.timeline()).as("skipping, " + what).isEqualTo(all.timeline());
        assertThat(skipped.simulatedEvents()).as("skipping, " + what).isEqualTo(all.executedEvents());
        for (int parts : new int[] {3, processes}) {
            StepObservation split = run(point, straggler, false, parts, what);
            assertThat(split.digest()).as(parts + " logical processes, " + what).isEqualTo(all.digest());
            assertThat(split.executedEvents())
                    .as(parts + " logical processes, " + what)
                    .isEqualTo(all.executedEvents());
        }
        return skipped.executedEvents() < all.executedEvents();
    }

    private static StepObservation run(
            ScenarioPoint point, Map<Integer, Long> straggler, boolean skip, int processes, String what)
            throws InterruptedException {
        List<StepObservation> observed = new ArrayList<>();
        PointSimulation.Simulator simulator = (setup, observer, endMaxPs) -> {
            observed.add(engine.run(
                    new SimulationSetup(
                            setup.cluster(),
                            setup.plan(),
                            setup.workTimes(),
                            setup.transports(),
                            straggler,
                            setup.shortcuts()),
                    processes));
            return observed.get(0);
        };
        try (PointSimulation simulation =
                new PointSimulation(new RunOptions(1, skip).running(RunOptions.TooLarge.SIMULATED), simulator)) {
            simulation.run(point);
        } catch (IllegalStateException failure) {
            throw new AssertionError(what, failure);
        }
        return observed.get(0);
    }
}
