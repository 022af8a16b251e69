package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ModelShapeTest {
    private static final ModelShape GPT2_30B = ModelShape.gpt2(7168, 48, 64, 50257, 2048);
    private static final ModelShape LLAMA_7B = ModelShape.llama(4096, 32, 32, 11008, 32000, 32);

    @Test
    void gpt2ThirtyBillionHasTheParametersOfItsPublication() {
        assertThat(GPT2_30B.parameters()).isEqualTo(29_974_418_432L);
    }

    @Test
    void gpt2SmallHasThePublishedParameters() {
        assertThat(ModelShape.gpt2(768, 12, 12, 50257, 1024).parameters()).isEqualTo(124_439_808L);
    }

    @Test
    void llamaSevenBillionHasThePublishedParametersAndTensors() {
        assertThat(LLAMA_7B.parameters()).isEqualTo(6_738_415_616L);
        int tensors = LLAMA_7B.layers() * LLAMA_7B.layerTensors(0).size()
                + LLAMA_7B.embeddingTensors().size()
                + LLAMA_7B.outputTensors().size();
        assertThat(tensors).isEqualTo(291);
    }

    @Test
    void groupedQueriesShrinkKeysAndValues() {
        ModelShape llama2 = ModelShape.llama(8192, 80, 64, 28672, 32000, 8);
        assertThat(llama2.parameters()).isEqualTo(68_976_648_192L);
    }

    @Test
    void tensorsOfALayerAddUpToItsParameters() {
        long h = GPT2_30B.hidden();
        assertThat(GPT2_30B.layerParameters(0)).isEqualTo(12 * h * h + 13 * h);
    }

    @Test
    void tensorParallelRanksHoldTheSplitTensorsOnceTogether() {
        long whole = GPT2_30B.layerParameters(0);
        long copied = 7L * GPT2_30B.hidden() - GPT2_30B.hidden();
        assertThat(8 * GPT2_30B.layerParameters(0, 8)).isEqualTo(whole + 7 * copied);
    }

    @Test
    void forwardFlopsAreThoseOfTheMegatronFormula() {
        double tokens = 16.0 * 2048;
        double h = 7168;
        double s = 2048;
        double megatron = 24 * tokens * h * h * (48 * (1 + s / (6 * h)) + 50257 / (12 * h));
        assertThat(GPT2_30B.forwardFlops(16 * 2048, 2048)).isCloseTo(megatron, within(megatron * 1e-9));
    }

    @Test
    void headsThatDoNotDivideTheHiddenWidthAreRefused() {
        assertThatThrownBy(() -> ModelShape.gpt2(7168, 48, 60, 50257, 2048))
                .hasMessageContaining("hidden 7168")
                .hasMessageContaining("heads 60");
    }
}
