package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.compute.LayerKernels;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.workload.Encoder.Norms;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.Segment.Section;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Parameters, flops and saved activations of BERT and RoBERTa. */
class EncoderTest {
    private static final int SEQUENCE = 512;
    private static final int BATCH = 8;
    private static final Encoder BERT = new Encoder(0.15625, false, 2, true, Norms.BEHIND);
    private static final ModelShape LARGE = large(30522, 512, BERT);

    private static ModelShape large(int vocab, int positions, Encoder encoder) {
        return new ModelShape(
                        1024,
                        24,
                        Family.GPT2,
                        new Heads(16, 16, 64, false),
                        4096,
                        MixtureOfExperts.NONE,
                        new Embeddings(vocab, true, positions))
                .withEncoder(encoder);
    }

    private static List<Kernel> kernels(ModelShape shape, Segment segment, AttentionKind attention, String profile) {
        return new LayerKernels(shape, Workload.of(SEQUENCE, BATCH, attention), FrameworkProfile.named(profile))
                .of(segment);
    }

    private static double matmulFlops(List<Kernel> kernels) {
        return kernels.stream()
                .filter(Kernel.Matmul.class::isInstance)
                .mapToDouble(kernel -> ((Kernel.Matmul) kernel).flops())
                .sum();
    }

    /** Parameter counts of google-bert/bert-large-uncased with both heads, and of FacebookAI/roberta-large with its own. */
    @Test
    void holdsThePublishedParameters() {
        assertThat(LARGE.parameters()).isEqualTo(336_226_108);
        assertThat(large(50265, 514, new Encoder(0.15, false, 1, false, Norms.BEHIND))
                        .parameters())
                .isEqualTo(355_412_057);
    }

    @Test
    void normsBeforeBlocksTakeTheNormOfTheEmbeddingToTheEnd() {
        ModelShape before = large(30522, 512, new Encoder(0.15625, false, 2, true, Norms.BEFORE));
        assertThat(before.parameters()).isEqualTo(LARGE.parameters());
        assertThat(before.outputParameters() - LARGE.outputParameters()).isEqualTo(2 * 1024);
    }

    /** A sample of 512 tokens, 80 of them predicted: 1.02 TFLOP per step (Devlin et al.'s shape, counted by hand). */
    @Test
    void countsTheHeadByTheTokensThatItPredicts() {
        double layers = 24.0 * SEQUENCE * (2 * 12 * 1024.0 * 1024 + 4.0 * 1024 * SEQUENCE);
        double masked = 80 * 2 * (1024.0 * 1024 + 30522.0 * 1024);
        double first = 2 * (1024.0 * 1024 + 2 * 1024);
        assertThat(LARGE.forwardFlops(SEQUENCE, SEQUENCE)).isCloseTo(layers + masked + first, within(1.0));
        assertThat(3 * LARGE.forwardFlops(SEQUENCE, SEQUENCE)).isCloseTo(1.02e12, within(0.01e12));
        assertThat(LARGE.lossTokens(BATCH, SEQUENCE)).isEqualTo(8 * 80);
    }

    /** MFU's count per token, 6 for each parameter of matrices, equals the operators' sum. */
    @Test
    void countsParametersByTheTokensOfTheirBlock() {
        double counted = LARGE.countedParameters(SEQUENCE);
        double spared = LARGE.parameters() - counted;
        double head = 1024.0 * 1024 + 30522.0 * 1024;
        double pooled = 1024.0 * 1024 + 2 * 1024;
        assertThat(spared).isCloseTo(head * (1 - 80 / 512.0) + pooled * 511 / 512, within(1.0));
        assertThat(ModelShape.gpt2(64, 2, 4, 100, 32).countedParameters(32))
                .isEqualTo(ModelShape.gpt2(64, 2, 4, 100, 32).parameters());
    }

    @Test
    void computesLogitsOfMaskedTokensOrOfAll() {
        for (String profile : List.of("tensorflow-bert", "megatron", "eager")) {
            ModelShape held = FrameworkProfile.named(profile).held(LARGE, 1);
            double computed = matmulFlops(kernels(
                    held, new Segments(held.operators()).forward(Section.HEAD), AttentionKind.STANDARD, profile));
            double tokens = profile.equals("tensorflow-bert") ? BATCH * 80 : BATCH * SEQUENCE;
            double expected = tokens * 2 * (1024.0 * 1024 + (double) held.vocab() * 1024)
                    + BATCH * 2 * (1024.0 * 1024 + 2 * 1024);
            assertThat(computed).isEqualTo(expected);
            assertThat(held.countedParameters(SEQUENCE))
                    .isEqualTo(LARGE.withVocab(held.vocab()).countedParameters(SEQUENCE));
        }
    }

    /** Bidirectional flash attention computes all blocks, causal attention little more than half. */
    @Test
    void attendsInBothDirections() {
        List<Kernel> layer =
                kernels(LARGE, new Segments(LARGE.operators()).forward(Section.LAYER), AttentionKind.FLASH, "eager");
        assertThat(layer)
                .contains(new Kernel.FlashAttention("attention", BATCH * 16, SEQUENCE, 64, false, Kernel.Pass.FORWARD));
        assertThat(layer)
                .noneMatch(kernel -> kernel instanceof Kernel.MemoryBound bound
                        && bound.name().startsWith("softmax"));
        assertThat(matmulFlops(kernels(
                        LARGE,
                        new Segments(LARGE.operators()).forward(Section.LAYER),
                        AttentionKind.STANDARD,
                        "eager")))
                .isEqualTo(LARGE.layerForwardFlops(0, (long) BATCH * SEQUENCE, SEQUENCE));
    }

    /** Korthikanti et al., equation 1: s b h (34 + 5 a s / h), wherever the norms are. */
    @Test
    void keepsWhatALayerOfGptKeeps() {
        long expected = (long) SEQUENCE * BATCH * 1024 * 34 + 5L * 16 * SEQUENCE * SEQUENCE * BATCH;
        for (Norms norms : Norms.values()) {
            ModelShape shape = large(30522, 512, new Encoder(0.15, false, 2, true, norms));
            ActivationMemory memory = new ActivationMemory(
                    shape, AttentionKind.STANDARD, true, 1, false, 2, false, Recomputed.CORE_ATTENTION);
            assertThat(memory.layerBytes(0, BATCH, SEQUENCE, Checkpointing.NONE))
                    .isEqualTo(expected);
        }
    }

    /** The last norm uses the last GEMM's result, so the whole layer runs again. */
    @Test
    void aNormBehindTheLastBlockNeedsTheLastProductAgain() {
        Segment again = new Segments(LARGE.operators()).recompute(Section.LAYER, Checkpointing.FULL, true);
        assertThat(again.pieces()).hasSize(LARGE.kind(0).operators().size());
        ModelShape before = large(30522, 512, new Encoder(0.15, false, 2, true, Norms.BEFORE));
        assertThat(new Segments(before.operators())
                        .recompute(Section.LAYER, Checkpointing.FULL, true)
                        .pieces()
                        .size())
                .isLessThan(before.kind(0).operators().size() - 1);
    }

    @Test
    void refusesAGatedEncoder() {
        ModelShape llama = ModelShape.llama(64, 2, 4, 128, 100, 4);
        assertThatThrownBy(() -> llama.withEncoder(BERT))
                .hasMessageContaining("masked_lm 0.15625 needs gated_ffn false");
    }
}
