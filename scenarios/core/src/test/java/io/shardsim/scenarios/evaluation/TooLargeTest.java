package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.TooLargeException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** A run too large for the machine is reported before it starts, and planning can be interrupted. */
class TooLargeTest {
    private static PointRuns runsOf(String text) throws Exception {
        Scenario scenario = ScenarioReader.readText("a.yaml", text);
        PointRuns runs = new PointRuns(List.of(scenario), 1);
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            runs.runAll(simulation, (share, what) -> {});
        }
        return runs;
    }

    @Test
    void aStepOfTooManyMicroBatchesIsToldWithNumbers() throws Exception {
        PointRuns runs = runsOf("""
                scenario: many
                model: gpt2-1.5b
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 1024, global_batch: 1000000, micro_batch: 1}
                strategy: {kind: zero3}
                """);
        assertThat(runs.onlyRefused()).isTrue();
        assertThat(runs.failures())
                .singleElement()
                .asString()
                .startsWith("a.yaml:1:1: many a step of 125000 micro-batches of 1 has ")
                .containsPattern("has [0-9.]+ million operations > [0-9.]+ million")
                .contains("write a smaller global_batch, a larger micro_batch or more nodes");
    }

    @Test
    void aCollectiveOfTooManyStepsIsTold() throws Exception {
        PointRuns runs = runsOf("""
                scenario: fine
                cluster: {instance: p4d.24xlarge, nodes: 4}
                workload: {collective: all_reduce, size: 1 GiB}
                collectives: {chunk: 16 B}
                """);
        assertThat(runs.onlyRefused()).isTrue();
        assertThat(runs.failures())
                .singleElement()
                .asString()
                .contains("a collective in chunks of 16 bytes has more than ", "a larger collectives.chunk");
    }

    /** Overflowing sums mean that the run is too large; any other failure of arithmetic is a bug of ours. */
    @Test
    void onlyAnOverflowIsARunThatIsTooLarge() throws Exception {
        ScenarioPoint point = ScenarioReader.readText("a.yaml", """
                scenario: one
                cluster: {instance: p4d.24xlarge, nodes: 2}
                workload: {collective: all_reduce, size: 1 GiB}
                """).points().get(0);
        assertThatThrownBy(() -> runFailingWith(point, () -> Math.addExact(Long.MAX_VALUE, 1L)))
                .isInstanceOf(TooLargeException.class)
                .hasRootCauseInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> runFailingWith(point, () -> Math.toIntExact(1L << 40)))
                .isInstanceOf(TooLargeException.class);
        assertThatThrownBy(() -> runFailingWith(point, () -> 1 / (point.values().size() * 0L)))
                .isExactlyInstanceOf(ArithmeticException.class)
                .hasMessage("/ by zero");
    }

    private static void runFailingWith(ScenarioPoint point, LongSupplier sum) throws InterruptedException {
        try (PointSimulation failing = new PointSimulation(new RunOptions(1, true), (setup, observer, limits) -> {
            throw new AssertionError("no failure: " + sum.getAsLong());
        })) {
            failing.run(point);
        }
    }

    @Test
    void aTrialOfAnotherSettingThatIsTooLargeIsNoFailure() throws Exception {
        Scenario scenario = ScenarioReader.readText("a.yaml", """
                scenario: advised
                model: {hidden: 512, layers: 4, heads: 16, vocab: 32000}
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 256, global_batch: 64, micro_batch: 1}
                strategy: {kind: zero3}
                """);
        PointRuns runs = new PointRuns(List.of(scenario), 1);
        AdvisedRuns advised = new AdvisedRuns(List.of(scenario), runs);
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            runs.runAll(simulation, (share, what) -> {});
        }
        assertThat(runs.failures()).isEmpty();
        try (PointSimulation refusing = new PointSimulation(new RunOptions(1, true), (setup, observer, limits) -> {
            throw new TooLargeException("too large to try; write less");
        })) {
            advised.tryOtherSettings(refusing, 1, same -> 10_000_000, (share, what) -> {});
        }
        assertThat(advised.tried(scenario)).isNotEmpty();
        assertThat(advised.failures()).isEmpty();
    }

    @Test
    void anInterruptEndsTheRunsEvenWhereARunnerDoesNotLookUp() throws Exception {
        Scenario scenario = ScenarioReader.readText("a.yaml", """
                scenario: deaf
                cluster: {instance: p4d.24xlarge, nodes: 2}
                workload: {collective: all_reduce, size: 1 GiB}
                """);
        PointRuns runs = new PointRuns(List.of(scenario), 1);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        ScenarioRunner deaf = new ScenarioRunner() {
            @Override
            public RunResult run(ScenarioPoint point) {
                begun.countDown();
                while (true) {
                    try {
                        never.await();
                    } catch (InterruptedException ignored) {
                        // As a plan that does not look up.
                    }
                }
            }

            @Override
            public void close() {
                // Nothing to close.
            }
        };
        Thread interrupter = new Thread(() -> {
            try {
                begun.await();
            } catch (InterruptedException unexpected) {
                return;
            }
            runs.interrupt();
        });
        interrupter.start();
        runs.runAll(deaf, (share, what) -> {});
        assertThat(runs.interrupted()).isTrue();
        assertThat(runs.failures()).isEmpty();
    }
}
