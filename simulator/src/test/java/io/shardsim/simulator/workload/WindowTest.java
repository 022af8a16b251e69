package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.workload.Attention.Reach;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sliding window attention. */
class WindowTest {
    private static ModelShape shape(Family family, Window window) {
        return new ModelShape(
                512,
                12,
                family,
                new Heads(8, 8, 64, Latent.NONE, false, window),
                2048,
                MixtureOfExperts.NONE,
                new Embeddings(1000, false, 0));
    }

    /** The unmasked scores of a window, counted one by one, and doubled like those of a causal mask. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 64", "16, 64", "63, 64", "64, 64", "128, 64", "100, 1000"})
    void seesAsManyScoresAsAreUnmasked(int window, int keys) {
        long unmasked = 0;
        for (int query = 0; query < keys; query++) {
            unmasked += Math.min(query + 1, window);
        }
        Attention attention = new Attention(8, 8, 64, 64, 64, Reach.CAUSAL, false, window);
        assertThat((double) attention.seen(keys)).isCloseTo(2.0 * unmasked / keys, within(2.0));
    }

    @Test
    void layersTakeTurns() {
        ModelShape model = shape(Family.LLAMA, new Window(128, 6));
        assertThat(model.operators().kinds()).hasSize(2);
        for (int layer = 0; layer < 12; layer++) {
            assertThat(model.kindOf(layer)).as("layer %d", layer).isEqualTo(layer % 6 == 5 ? 1 : 0);
        }
        assertThat(model.layerForwardFlops(0, 4096, 4096)).isLessThan(model.layerForwardFlops(5, 4096, 4096));
        assertThat(model.forwardFlops(100, 100))
                .isEqualTo(shape(Family.LLAMA, Window.NONE).forwardFlops(100, 100));
    }

    @Test
    void layersWithoutAGateHaveNone() {
        assertThatThrownBy(() -> shape(Family.GPT2, new Window(128, 0)))
                .hasMessageContaining("sliding_window 128 needs");
    }
}
