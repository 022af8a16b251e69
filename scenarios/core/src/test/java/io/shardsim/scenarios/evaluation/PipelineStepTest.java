package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.StepBreakdown;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.plan.Stream;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Waits of a pipeline, and the micro-batch chosen for it. */
class PipelineStepTest {
    private static RunResult run(ScenarioPoint point) throws Exception {
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            return simulation.run(point);
        }
    }

    private static ScenarioPoint point(String training, String strategy) throws Exception {
        return ScenarioReader.readText("a.yaml", """
                        scenario: pipeline
                        model: llama3-8b
                        cluster: {instance: p5.48xlarge, nodes: 1}
                        training: {sequence_length: 2048, precision: bf16, %s}
                        strategy: {kind: megatron-core, %s}
                        """.formatted(training, strategy))
                .points()
                .get(0);
    }

    /**
     * A collective of a stage that starts after another stage has sent is not charged for the wait; without replicas, neither is the norm over all
     * stages.
     */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void stagesThatWaitForEachOtherSaySo(boolean sequence) throws Exception {
        StepBreakdown step = run(point(
                        "global_batch: 8, micro_batch: 2",
                        "tensor_parallel: 2, pipeline_parallel: 4, sequence_parallel: " + sequence))
                .step()
                .breakdown();
        double pipeline = step.exposedSeconds(Stream.PIPELINE_FORWARD) + step.exposedSeconds(Stream.PIPELINE_BACKWARD);
        // Four micro-batches on four stages leave 3 of 7 slots empty.
        assertThat(pipeline / step.stepSeconds()).isBetween(0.35, 0.5);
        assertThat(step.exposedSeconds(Stream.TENSOR)).isLessThan(0.1 * step.stepSeconds());
        assertThat(step.exposedSeconds(Stream.REDUCE)).isLessThan(0.001 * step.stepSeconds());
    }

    /** Nodes repeat what they did before, but not what another node has sent and they have not received: every byte is sent as often as received. */
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(ints = {32, 64})
    void aStageDoesNotRepeatWhatIsOnItsWay(int samples) throws Exception {
        ScenarioPoint point = ScenarioReader.readText("a.yaml", """
                        scenario: on-its-way
                        framework: nemo 25.11
                        model: {hidden: 16384, layers: 126, heads: 128, kv_heads: 8, ffn: 53248, gated_ffn: true, vocab: 128256, tied_embeddings: false}
                        cluster: {gpu: b200, gpus_per_node: 8, intra_node: 900 GB/s, intra_node_effective: 770 GB/s, pcie: 56 GB/s, nics_per_node: 8, nic: 400 Gbit/s, nodes: 16}
                        training: {sequence_length: 8192, global_batch: %d, micro_batch: 1, precision: fp8, fp8_recipe: mxfp8, activation_checkpointing: none}
                        strategy: {kind: megatron-core, fp8_param_gather: true, tensor_parallel: 4, sequence_parallel: true, overlap_tensor_exchange: true, context_parallel: 2, pipeline_parallel: 8, pipeline_schedule: interleaved, model_chunks: 8, partition: balanced, overlap_grad_reduce: true, overlap_param_gather: true, gradients_in_fp32: false}
                        """.formatted(samples))
                .points()
                .get(0);

        assertThat(run(point).fits()).isTrue();
    }

    @Test
    void aMicroBatchThatIsLeftOutKeepsTheStagesBusy() throws Exception {
        String split = "tensor_parallel: 2, pipeline_parallel: 4";
        RunResult open = run(point("global_batch: 64", split));
        int chosen = open.facts().model().microBatch();
        assertThat(chosen)
                .isLessThan(TrainingPoint.of(point("global_batch: 64", "tensor_parallel: 8"))
                        .job()
                        .microBatch());
        for (int microBatch = 1; microBatch <= 32; microBatch *= 2) {
            RunResult given = run(point("global_batch: 64, micro_batch: " + microBatch, split));
            assertThat(given.fits() ? given.step().samplesPerSecond() : 0)
                    .as("micro-batch %d, chosen %d", microBatch, chosen)
                    .isLessThan(1.03 * open.step().samplesPerSecond());
        }
        assertThat(run(point("global_batch: 64", split).with(Map.of("training.micro_batch", String.valueOf(chosen))))
                        .digest())
                .isEqualTo(open.digest());
    }
}
