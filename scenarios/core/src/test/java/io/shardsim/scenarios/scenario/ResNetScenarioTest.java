package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.yaml.InputException;
import org.junit.jupiter.api.Test;

/** What a scenario says of a residual network, and what is refused beside it. */
class ResNetScenarioTest {
    private static final String GOOD = """
            scenario: net
            model: {hidden: 2048, layers: 17, heads: 1, ffn: 512, vocab: 1000, stages: [3, 4, 6, 3], image_size: 224}
            cluster: {instance: p3dn.24xlarge, nodes: 1}
            training: {global_batch: 512, micro_batch: 64, precision: fp16}
            strategy: {kind: horovod}
            """;

    private static Scenario read(String text) throws InputException {
        return ScenarioReader.readText("a.yaml", text);
    }

    private static void refuses(String text, String... sentences) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        InputException.class,
                        refused -> assertThat(refused.getMessage()).contains(sentences));
    }

    @Test
    void anImageIsOneTokenAndNothingIsRecomputed() throws InputException {
        Task.Training training = (Task.Training) read(GOOD).points().get(0).task();
        assertThat(training.sequenceLength()).isEqualTo(1);
        assertThat(training.model().parameters()).isEqualTo(25_557_032);
        assertThat(training.execution().kept().checkpointing()).isEqualTo(Checkpointing.NONE);
    }

    @Test
    void stagesThatDoNotFitTheirModelAreRefusedTogether() {
        refuses(
                GOOD.replace("layers: 17", "layers: 16").replace("224", "225").replace("heads: 1", "heads: 4"),
                "layers 16 is not 1 + the blocks of stages [3, 4, 6, 3]; write 17",
                "image_size 225 is not a multiple of 32, which its stages halve it by; nearest multiples: 224, 256",
                "heads 4 beside stages; write 1");
        refuses(GOOD.replace("stages: [3, 4, 6, 3], ", ""), "image_size needs patch_size or stages");
        refuses(GOOD.replace("vocab", "patch_size: 16, vocab"), "patch_size beside stages is not modelled");
    }

    @Test
    void whatNeedsAttentionIsRefused() {
        refuses(
                GOOD.replace("fp16}", "fp16, activation_checkpointing: selective}"),
                "activation_checkpointing selective needs a model with attention; write none or full");
        refuses(GOOD + "lora: {r: 8, target_modules: [all-linear]}\n", "lora needs a model with attention");
        refuses(
                GOOD.replace("horovod", "fsdp, tensor_parallel: 2"),
                "tensor_parallel 2 of a convolutional network is not modelled; write 1");
    }
}
