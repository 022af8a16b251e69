package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Residual networks by the counts that torchvision and the papers give. */
class ResNetTest {
    private static ModelShape resnet(int inside, List<Integer> stages, int layers) {
        return new ModelShape(
                        2048,
                        layers,
                        Family.GPT2,
                        new Heads(1, 1, 2048, false),
                        inside,
                        MixtureOfExperts.NONE,
                        new Embeddings(1000, false, 0))
                .withImage(new Image(224, 0, stages));
    }

    private static ModelShape resnet50() {
        return resnet(512, List.of(3, 4, 6, 3), 17);
    }

    /** torchvision 0.15: resnet50, resnet101, resnet152, wide_resnet50_2; multiply-adds of an image at 224 in GMAC. */
    @ParameterizedTest
    @CsvSource({
        "512, 3 4 6 3, 25557032, 4.089",
        "512, 3 4 23 3, 44549160, 7.801",
        "512, 3 8 36 3, 60192808, 11.514",
        "1024, 3 4 6 3, 68883240, 11.398"
    })
    void parametersAndFlopsAreThePublishedOnes(int inside, String blocks, long parameters, double gmac) {
        List<Integer> stages =
                List.of(blocks.split(" ")).stream().map(Integer::valueOf).toList();
        ModelShape model = resnet(inside, stages, new Image(224, 0, stages).layers());
        assertThat(model.parameters()).isEqualTo(parameters);
        assertThat(model.forwardFlops(1, 1)).isCloseTo(2e9 * gmac, within(2e6));
    }

    /** The image needs no gradient: 7 x 7 x 3 x 64 weights at 112 x 112 positions. */
    @Test
    void backwardIsTwiceTheForwardWithoutTheGradientOfTheImage() {
        double stem = 2.0 * 7 * 7 * 3 * 64 * 112 * 112;
        assertThat(resnet50().backwardFlops(1, 1)).isCloseTo(2 * resnet50().forwardFlops(1, 1) - stem, within(1.0));
        assertThat(6 * resnet50().countedParameters(1))
                .isCloseTo(
                        3 * resnet50().forwardFlops(1, 1),
                        within(0.001 * resnet50().forwardFlops(1, 1)));
    }

    /**
     * Elements saved per image: the input of every convolution and of every batch norm (11.1 M results of convolutions, EVIDENCE of torchvision's
     * shapes), and what the maximum pooling reads, at two bytes; eight bytes for the place of each maximum.
     */
    @Test
    void savedBytesAreInputsOfConvolutionsAndNorms() {
        ActivationMemory memory = new ActivationMemory(
                resnet50(), AttentionKind.STANDARD, false, 1, false, 2, false, Recomputed.CORE_ATTENTION);
        long saved = IntStream.range(0, 17)
                .mapToLong(layer -> memory.layerBytes(layer, 1, 1, Checkpointing.NONE))
                .sum();
        long results = 64 * 112 * 112;
        long inputs = 3 * 224 * 224;
        int channels = 64;
        int side = 56;
        int[] blocks = {3, 4, 6, 3};
        for (int stage = 0; stage < 4; stage++) {
            int inside = 64 << stage;
            for (int block = 0; block < blocks[stage]; block++) {
                int after = stage > 0 && block == 0 ? side / 2 : side;
                results += (long) inside * side * side + (long) inside * after * after + 4L * inside * after * after;
                results += block == 0 ? 4L * inside * after * after : 0;
                inputs += (long) channels * side * side + (long) inside * side * side + (long) inside * after * after;
                channels = 4 * inside;
                side = after;
            }
        }
        assertThat(results).isBetween(11_000_000L, 11_200_000L);
        long pooled = 64 * 112 * 112;
        assertThat(saved).isEqualTo(2 * (results + inputs + pooled) + 8 * 64 * 56 * 56);
    }

    /** A checkpointed block keeps its input alone. */
    @Test
    void checkpointsKeepTheInputOfABlock() {
        ActivationMemory memory = new ActivationMemory(
                resnet50(), AttentionKind.STANDARD, false, 1, false, 2, false, Recomputed.CORE_ATTENTION);
        assertThat(memory.layerBytes(4, 8, 1, Checkpointing.FULL)).isEqualTo(8L * 2 * 256 * 56 * 56);
        assertThat(Checkpointing.FULL.recomputedProducts(resnet50(), Recomputed.CORE_ATTENTION))
                .isEqualTo(1);
    }

    @Test
    void blocksOfAStageAreOneKindAndTheFirstIsAnother() {
        assertThat(resnet50().operators().stretches().stream().map(Stretch::layers))
                .containsExactly(1, 1, 2, 1, 3, 1, 5, 1, 2);
        assertThat(resnet50().lossTokens(4, 1)).isEqualTo(4);
    }

    @Test
    void layersThatStagesDoNotMakeAreRefused() {
        assertThatThrownBy(() -> resnet(512, List.of(3, 4, 6, 3), 16))
                .hasMessageContaining("layers 16 is not 17, the stem and the blocks of stages [3, 4, 6, 3]");
    }
}
