package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import org.junit.jupiter.api.Test;

class ProspectTest {
    /** A search stops writing a plan where it no longer fits; that must say what the whole plan says. */
    @Test
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
                assertThat(Prospect.of(point).fits())
                        .as(strategy + " " + point.values())
                        .isEqualTo(fits);
                fit += fits ? 1 : 0;
                total++;
            }
        }
        assertThat(fit).isBetween(total / 5, total * 4 / 5);
    }
}
