package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** FP8 recipes against Transformer Engine's table of a layer's GEMMs on a B300 (docs/features/low_precision_training/gemm_profiling at 33294178). */
class Fp8RecipeTest {
    private static final FrameworkProfile TRANSFORMER_ENGINE =
            FrameworkProfile.named("transformer-engine").inFp8();
    private static final String BLACKWELL = "blackwell";
    private static final long TOKENS = 15_872;
    private static final long HIDDEN = 4096;
    private static final long FFN = 16_384;
    /** Inputs and outputs of the layer's four matrices. */
    private static final long[][] MATRICES = {{HIDDEN, 3 * HIDDEN}, {HIDDEN, HIDDEN}, {HIDDEN, FFN}, {FFN, HIDDEN}};

    private static final double LAYER_IN_BF16_MS = 12.835;
    private static final double HBM_BYTES_PER_MS = 8e9;

    /**
     * The table quantizes both operands of each GEMM in one layout, just before it. A training step quantizes activations and gradients in both
     * layouts at once, which reads the 16-bit values once and writes twice. That is the recipe's cost; one layout gets its share of it.
     */
    @ParameterizedTest
    @CsvSource({"mxfp8, 2, 7.324, 8.507", "blockwise, 2, 6.830, 9.598", "nvfp4, 4, 3.754, 6.439"})
    void gemmsAndRoundingOfALayerTakeWhatTheTableSays(String recipe, int bytesRead, double gemmsMs, double allMs) {
        FrameworkProfile profile = TRANSFORMER_ENGINE.under(recipe);
        double gemms = LAYER_IN_BF16_MS / profile.eightBitRatio("b300", BLACKWELL);
        assertThat(gemms).isCloseTo(gemmsMs, withinPercentage(1));

        double written = profile.operandBytes();
        double oneOrder =
                profile.cost(Operator.QUANTIZE_INPUT).bytes() * (bytesRead + written) / (bytesRead + 2 * written);
        double share = GpuCalibration.FAMILIES.named(BLACKWELL).decimal("elementwise_hbm_ratio");
        double rounding = operandElements() * oneOrder / (HBM_BYTES_PER_MS * share);
        assertThat(gemms + rounding).isCloseTo(allMs, withinPercentage(3));
    }

    private static double operandElements() {
        double elements = 0;
        for (long[] matrix : MATRICES) {
            elements += 2 * (TOKENS * (matrix[0] + matrix[1]) + matrix[0] * matrix[1]);
        }
        return elements;
    }

    /** GEMMs whose operands have block scales reach one rate forward and backward; the others have the GPU's two rates. */
    @Test
    void aRecipesRateReplacesThatOfTheGpu() {
        GpuCalibration blackwell = GpuCalibration.named(BLACKWELL);
        assertThat(blackwell.under(TRANSFORMER_ENGINE, BLACKWELL).matmul().eightBits())
                .isEqualTo(blackwell.matmul().eightBits());
        assertThat(blackwell
                        .under(TRANSFORMER_ENGINE.under("mxfp8"), BLACKWELL)
                        .matmul()
                        .eightBits())
                .isEqualTo(new GpuCalibration.EightBits(1.65, 1.65));
        assertThat(TRANSFORMER_ENGINE.under("blockwise").eightBitRatio("hopper", "hopper"))
                .isEqualTo(1.7);
    }

    @Test
    void aRecipeThatTheFrameworkDoesNotShipChangesNothing() {
        assertThat(TRANSFORMER_ENGINE.under("tensorwise").fp8Recipe()).isEqualTo("delayed");
        assertThat(FrameworkProfile.named("transformer-engine").under("mxfp8").fp8Recipe())
                .isNull();
    }
}
