package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.run.RunObserver;
import io.shardsim.simulator.run.RunProgress;
import io.shardsim.simulator.run.SimulationEngine;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A long run reports its progress and what is left, and ends soon when it is no longer wanted. */
class RunStandingTest {
    /** Some minutes of one collective, without a mark in between. */
    private static final String LONG = """
            scenario: long
            cluster: {instance: p4d.24xlarge, nodes: 512}
            workload: {collective: all_reduce, size: 4 GiB}
            """;

    @Test
    void saysTimeEventsAndMemory() {
        assertThat(RunStanding.words(new RunProgress(12_400_000_000L, 12_300_000, 440_000_000), 1L << 30, 6L << 30))
                .isEqualTo("at 12.4 ms, 12.3 of at most 440 million events, heap 1.0 of 6.0 GiB");
        assertThat(RunStanding.words(new RunProgress(0, 0, 4_000_000), 1L << 29, 6L << 30))
                .as("a short run")
                .isEmpty();
    }

    @Test
    @Tag("slow")
    void aRunNeverHasMoreEventsThanForeseen() throws Exception {
        for (String work : List.of(
                "workload: {collective: all_reduce, size: 64 MiB}",
                "workload: {collective: all_to_all, size: 64 MiB}",
                "workload: {collective: broadcast, size: 1 MiB}",
                """
                model: gpt2-1.5b
                training: {sequence_length: 512, global_batch: 32, micro_batch: 2, activation_checkpointing: full}
                sweep: {strategy.kind: [mics, zero3, ddp, fsdp2, zero1]}
                """)) {
            for (int nodes : new int[] {1, 2}) {
                String text = "scenario: s\ncluster: {instance: p4d.24xlarge, nodes: " + nodes + "}\n" + work;
                for (ScenarioPoint point :
                        ScenarioReader.readText("s.yaml", text).points()) {
                    isForeseen(point);
                }
            }
        }
    }

    private static void isForeseen(ScenarioPoint point) throws InterruptedException {
        AtomicLong foreseen = new AtomicLong();
        try (SimulationEngine engine = new SimulationEngine(1);
                PointSimulation simulation = new PointSimulation(
                        new RunOptions(1, false),
                        (setup, observer, endMaxPs) -> engine.run(
                                setup,
                                1,
                                whenAssembled(() ->
                                        foreseen.set(engine.underWay().get(0).eventsMax()))))) {
            RunResult run = simulation.run(point);
            assertThat(foreseen.get())
                    .as(point.values().toString())
                    .isBetween(run.effort().executedEvents(), 2 * run.effort().executedEvents());
        }
    }

    private static RunObserver whenAssembled(Runnable then) {
        return (RunObserver) Proxy.newProxyInstance(
                RunObserver.class.getClassLoader(), new Class<?>[] {RunObserver.class}, (self, method, arguments) -> {
                    if (method.getName().equals("onAssembled")) {
                        then.run();
                    }
                    return method.isDefault() ? InvocationHandler.invokeDefault(self, method, arguments) : null;
                });
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(ints = {1, 2})
    void anAbandonedRunLeavesItsThreads(int threads) throws Exception {
        ScenarioPoint point =
                ScenarioReader.readText("long.yaml", LONG).points().get(0);
        ScenarioPoint other = ScenarioReader.readText(
                        "short.yaml", LONG.replace("512", "1").replace("4 GiB", "1 MiB"))
                .points()
                .get(0);
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try (SimulationEngine engine = new SimulationEngine(threads);
                PointSimulation simulation = new PointSimulation(new RunOptions(threads, threads == 1), engine)) {
            Future<RunResult> run = caller.submit(() -> simulation.run(point));
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> engine.underWay().stream().anyMatch(one -> one.events() > 0));
            RunProgress progress = engine.underWay().get(0);
            assertThat(progress.nowPs()).isPositive();
            assertThat(progress.eventsMax()).isGreaterThan(100 * progress.events());
            assertThat(simulation.standing()).contains(" million events, heap ");

            run.cancel(true);

            assertThat(CompletableFuture.supplyAsync(() -> digest(simulation, other))
                            .get(2, TimeUnit.MINUTES))
                    .isNotEmpty();
            assertThat(simulation.standing()).isEmpty();
        } finally {
            caller.shutdownNow();
        }
    }

    private static String digest(PointSimulation simulation, ScenarioPoint point) {
        try {
            return simulation.run(point).digest();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
