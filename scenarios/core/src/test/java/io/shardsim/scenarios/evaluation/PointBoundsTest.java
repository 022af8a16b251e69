package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Task;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PointBoundsTest {
    /** A search stops writing a plan once it does not fit, with the same result as for the whole plan. */
    @Test
    @Tag("slow")
    void stoppedPlansSayWhatWholePlansSay() throws Exception {
        int fit = 0;
        int total = 0;
        for (String strategy : new String[] {"mics", "zero3", "zero2", "fsdp", "ddp", "megatron-core"}) {
            Scenario sweep = ScenarioReader.readText("sweep.yaml", """
                            scenario: memory
                            model: {hidden: 4096, layers: 24, heads: 32, vocab: 50257}
                            cluster: {instance: p4d.24xlarge, nodes: 2}
                            training: {sequence_length: 2048, global_batch: 128}
                            strategy: {kind: %s}
                            sweep:
                              training.micro_batch: [1, 2, 4, 8]
                              training.activation_checkpointing: [none, selective, full]
                              training.attention: [standard, flash]
                            """.formatted(strategy));
            for (ScenarioPoint point : sweep.points()) {
                boolean fits = TrainingPoint.of(point).fits();
                assertThat(PointBounds.of(point).fits())
                        .as(strategy + " " + point.values())
                        .isEqualTo(fits);
                fit += fits ? 1 : 0;
                total++;
            }
        }
        assertThat(fit).isBetween(total / 5, total * 4 / 5);
    }

    @Test
    @Tag("slow")
    void theBoundWithoutAPlanIsNoMoreThanThatOfThePlan() throws Exception {
        int closest = 0;
        for (String pipeline : List.of(
                "pipeline_parallel: 1",
                "pipeline_parallel: 2",
                "pipeline_parallel: 4, pipeline_schedule: simple",
                "pipeline_parallel: 4, tensor_parallel: 2",
                "pipeline_parallel: 2, pipeline_schedule: interleaved, model_chunks: 3")) {
            for (String kept :
                    List.of("training.checkpointed_layers: [5, 12]", "training.activation_offload: [true]")) {
                Scenario sweep = ScenarioReader.readText("bounds", """
                    scenario: bounds
                    model: {hidden: 2048, layers: 12, heads: 16, vocab: 32000}
                    cluster: {instance: p4d.24xlarge, nodes: 1}
                    training: {sequence_length: 1024, global_batch: 64, attention: flash}
                    strategy: {kind: megatron-core, %s}
                    sweep:
                      training.micro_batch: [1, 2]
                      training.activation_checkpointing: [selective, full]
                      %s
                    """.formatted(pipeline, kept));
                for (ScenarioPoint point : sweep.points()) {
                    double least = PointBounds.leastComputeSeconds(point);
                    double planned = PointBounds.of(point).leastStepSeconds();
                    assertThat(least).as(pipeline + point.values()).isPositive().isLessThanOrEqualTo(planned);
                    closest += least > 0.7 * planned ? 1 : 0;
                }
            }
        }
        assertThat(closest).as("bounds that are within 30 %").isGreaterThan(14);
    }

    /** With 16 times the tokens, attention, which ranks compute in steps, is most of it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{kind: megatron-core, context_parallel: 4}",
                "{kind: megatron-core, context_parallel: 2, tensor_parallel: 2}",
                "{kind: fsdp2, context_parallel: 8}",
            })
    void norIsItMoreWhereRanksSplitASample(String strategy) throws Exception {
        Scenario sweep = ScenarioReader.readText("bounds", """
            scenario: bounds
            model: {hidden: 2048, layers: 12, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: 16384, global_batch: 64, attention: flash, micro_batch: 1}
            strategy: %s
            sweep:
              training.activation_checkpointing: [none, selective, full]
            """.formatted(strategy));
        for (ScenarioPoint point : sweep.points()) {
            double planned = PointBounds.of(point).leastStepSeconds();
            assertThat(PointBounds.leastComputeSeconds(point))
                    .as(strategy + point.values())
                    .isBetween(0.7 * planned, planned);
        }
    }

    @Test
    @Tag("slow")
    void norIsItMoreForRandomPlans() {
        int compared = 0;
        for (int seed = 0; seed < 400; seed++) {
            ScenarioPoint point = RandomScenario.point(seed).orElse(null);
            if (point != null && point.task() instanceof Task.Training task && task.microBatch() != null) {
                PointBounds prospect = PointBounds.of(point);
                if (prospect.fits()) {
                    assertThat(PointBounds.leastComputeSeconds(point))
                            .as(RandomScenario.text(seed))
                            .isLessThanOrEqualTo(prospect.leastStepSeconds());
                    compared++;
                }
            }
        }
        assertThat(compared).isGreaterThan(30);
    }
}
