package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models with image samples. */
class ImageTest {
    private static ModelShape vit(int hidden, int layers, int heads, int ffn, int patch) {
        Image image = new Image(224, patch);
        return new ModelShape(
                        hidden,
                        layers,
                        Family.GPT2,
                        new Heads(heads, heads, hidden / heads, false),
                        ffn,
                        MixtureOfExperts.NONE,
                        new Embeddings(1000, false, image.tokens()))
                .withImage(image);
    }

    /**
     * Parameter counts of torchvision 0.15 (vit_b_16, vit_l_16, vit_h_14) and of google-research/vision_transformer; flops per image as in the papers
     * and torchvision.
     */
    @ParameterizedTest
    @CsvSource({
        "768, 12, 12, 3072, 16, 197, 86567656, 35.1e9",
        "1024, 24, 16, 4096, 16, 197, 304326632, 123.1e9",
        "1280, 32, 16, 5120, 14, 257, 632045800, 334.6e9",
        "1408, 40, 16, 6144, 14, 257, 1012611432, 534e9"
    })
    void parametersAndFlopsAreThePublishedOnes(
            int hidden, int layers, int heads, int ffn, int patch, int tokens, long parameters, double flops) {
        ModelShape model = vit(hidden, layers, heads, ffn, patch);
        assertThat(model.image().tokens()).isEqualTo(tokens);
        assertThat(model.parameters()).isEqualTo(parameters);
        assertThat(model.forwardFlops(tokens, tokens)).isCloseTo(flops, within(0.005 * flops));
    }

    /** Only the first token has logits; patches get no gradient. */
    @Test
    void oneTokenIsClassifiedAndPixelsHaveNoGradient() {
        ModelShape model = vit(768, 12, 12, 3072, 16);
        assertThat(model.lossTokens(4, 197)).isEqualTo(4);
        double patches = 2.0 * 768 * 768 * 197;
        assertThat(model.backwardFlops(197, 197)).isCloseTo(2 * model.forwardFlops(197, 197) - patches, within(1e3));
        assertThat(model.operators().hasDropout()).isFalse();
    }

    @Test
    void tiedEmbeddingsAndGatesAreRefused() {
        ModelShape llama = ModelShape.llama(768, 12, 12, 3072, 1000, 12);
        assertThatThrownBy(() -> llama.withImage(new Image(224, 16))).hasMessageContaining("patch_size 16 needs");
    }
}
