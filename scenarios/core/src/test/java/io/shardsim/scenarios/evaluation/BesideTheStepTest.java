package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.reports.AroundTheStep;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.topology.InstanceSpec;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures in addition to a run's step: utilization, and costs around the step. */
class BesideTheStepTest {
    private static final String SCENARIO = """
            scenario: advised
            model: gpt2-1.5b
            cluster: {instance: p4d.24xlarge, nodes: 4}
            training: {sequence_length: 512, global_batch: 128, micro_batch: 2, activation_checkpointing: none}
            strategy: {kind: mics, shard_group: 16}
            """;

    private static RunResult run(String text) throws Exception {
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            return simulation.run(
                    ScenarioReader.readText("a.yaml", text).points().get(0));
        }
    }

    /** 6 flops per parameter and token, and 12 L h s for attention, over 312 Tflop/s in 16 bits and 19.5 in FP32 (NVIDIA A100 data sheet). */
    @Test
    void utilizationIsThatOfWhatWorksInThePrecision() throws Exception {
        for (String precision : List.of("bf16", "fp32")) {
            RunResult.Training trained = run(SCENARIO.replace(
                            "micro_batch: 2", "micro_batch: 2, precision: " + precision))
                    .training();
            double flopsPerToken = 6 * 1.557e9 + 12.0 * 48 * 1600 * 512;
            double peak = precision.equals("fp32") ? 19.5e12 : 312e12;
            assertThat(trained.flops().mfu())
                    .isCloseTo(trained.tokensPerSecondPerGpu() * flopsPerToken / peak, withinPercentage(1.0));
        }
    }

    /** The developer guide: above 20 or 40 billion parameters, host memory may not be enough. */
    @Test
    @Tag("slow")
    void modelsTooLargeForHostMemoryNeedDelayedInitialization() throws Exception {
        String hidden8192 = SCENARIO.replace("gpt2-1.5b", "{hidden: 8192, layers: LAYERS, heads: 64, vocab: 50257}")
                .replace("micro_batch: 2", "micro_batch: 1, delayed_parameter_initialization: DELAYED")
                .replace("activation_checkpointing: none", "activation_checkpointing: full")
                .replace("{kind: mics, shard_group: 16}", "{kind: zero3}");
        AroundTheStep below =
                AroundTheStep.of(run(hidden8192.replace("LAYERS", "24").replace("DELAYED", "false")));
        AroundTheStep above =
                AroundTheStep.of(run(hidden8192.replace("LAYERS", "50").replace("DELAYED", "false")));
        AroundTheStep delayed =
                AroundTheStep.of(run(hidden8192.replace("LAYERS", "50").replace("DELAYED", "true")));
        assertThat(below.startUp().parameters()).isBetween(19_000_000_000L, 21_000_000_000L);
        assertThat(below.startUp().fits()).isTrue();
        assertThat(above.startUp().parameters()).isBetween(40_000_000_000L, 42_000_000_000L);
        assertThat(above.startUp().fits()).isFalse();
        assertThat(above.sentences().get(0)).endsWith("set delayed_parameter_initialization: true.");
        assertThat(delayed.startUp().fits()).isTrue();
        assertThat(delayed.startUp().seconds()).isLessThan(1);
    }

    @Test
    void inputAndCheckpointsComeFromTheCatalogAndTheScenario() throws Exception {
        RunResult run = run(SCENARIO
                + "storage: {input: fsx-lustre, sample_size: 1 GiB, capacity: 2 TiB, throughput_per_tib: 500 MB/s}\n"
                + "checkpoint: {to: s3, every: 10}\n");
        AroundTheStep around = AroundTheStep.of(run);
        assertThat(around).isNotNull();
        assertThat(around.input().seconds()).isCloseTo(128 * 1073741824.0 / 1e9, within(1e-6));
        assertThat(around.checkpoint().writeSeconds())
                .as("two nodes, 15 requests of 85 MB/s each")
                .isCloseTo(run.facts().model().parameters() * 14.0 / (2 * 15 * 85e6), within(1e-6));
        assertThat(run.facts().sources()).anyMatch(source -> source.toString().contains("s3 rate_per_request"));
        assertThat(run(SCENARIO).digest()).as("the step is the same").isEqualTo(run.digest());
    }

    /** With a split model, the shard group alone spans at most one node, but all four nodes hold parts of it. */
    @ParameterizedTest
    @Tag("slow")
    @CsvSource(
            delimiter = '|',
            value = {
                "megatron-core, tensor_parallel: 8 | 4",
                "megatron-core, tensor_parallel: 2, pipeline_parallel: 4 | 4",
                "megatron, tensor_parallel: 4, pipeline_parallel: 2 | 2",
                "mics, tensor_parallel: 8, shard_group: 2 | 2",
                "megatron, tensor_parallel: 8 | 1"
            })
    void everyNodeThatHoldsAPartOfTheModelWritesIt(String strategy, int nodes) throws Exception {
        String text = """
                scenario: split
                model: {hidden: 2048, layers: 8, heads: 16, vocab: 51200}
                cluster: {instance: p4d.24xlarge, nodes: 4}
                training: {sequence_length: 512, global_batch: 64, micro_batch: 1}
                strategy: {kind: STRATEGY}
                """.replace("STRATEGY", strategy) + "checkpoint: {to: s3, every: 10, state: STATE}\n";
        RunResult run = run(text.replace("STATE", "sharded"));
        double bytes = run.facts().model().parameters() * 14.0;
        assertThat(AroundTheStep.of(run).checkpoint().writeSeconds())
                .isCloseTo(bytes / (nodes * 15 * 85e6), within(1e-6));
        AroundTheStep.Checkpoint full =
                AroundTheStep.of(run(text.replace("STATE", "full"))).checkpoint();
        InstanceSpec p4d = run.facts().cluster().instance();
        double gather =
                bytes * (nodes - 1) / nodes / (4.0 * p4d.nic().effectiveRate().bytesPerSecond());
        double copy = bytes / (4.0 * p4d.pcie().linkRate().bytesPerSecond());
        assertThat(full.pauseSeconds()).isCloseTo(bytes / (15 * 85e6) + gather + copy, within(1e-6));
    }
}
