package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.TooLargeException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A member's answers about points that do not run. */
class MemberRunsTest {
    private static final WireCodec CODEC = ClusterProtocol.contentCodec();

    private static Answer answer(RuntimeException failure) throws Exception {
        ScenarioRunner failing = new ScenarioRunner() {
            @Override
            public RunResult run(ScenarioPoint point) {
                throw failure;
            }

            @Override
            public void close() {}
        };
        ScenarioPoint point =
                ScenarioReader.readText("small.yaml", """
                        scenario: small
                        cluster: {instance: p4d.24xlarge, nodes: 2}
                        workload: {collective: all_reduce, size: 1 MiB}
                        """).points().get(0);
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        try (Member.Runs runs = new Member.Runs(options -> failing, 1, result -> {})) {
            assertThat(runs.start(CODEC.pack(new Question(point, new RunOptions(1, true))), answer::complete))
                    .isNotCancelled();
            return CODEC.unpack(answer.get(2, TimeUnit.MINUTES), Answer.class);
        }
    }

    @Test
    void whatIsTooLargeKeepsTheKeysThatMakeItSo() throws Exception {
        assertThat(answer(new TooLargeException("has 9 operations > 8", "training.global_batch", "model.layers")))
                .isEqualTo(
                        new Answer.TooLarge("has 9 operations > 8", List.of("training.global_batch", "model.layers")));
    }

    @Test
    void anyOtherFailureSaysWhy() throws Exception {
        assertThat(answer(new IllegalStateException("Node[0]: broken")))
                .isEqualTo(new Answer.Failed("Node[0]: broken"));
    }
}
