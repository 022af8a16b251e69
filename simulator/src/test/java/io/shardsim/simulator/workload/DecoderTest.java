package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.compute.LayerKernels;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.Segment.Section;
import java.util.List;
import org.junit.jupiter.api.Test;

/** T5: an encoder and a decoder with lengths of their own. */
class DecoderTest {
    private static final int SEQUENCE = 512;
    private static final int OWN = 128;
    private static final int BATCH = 4;
    private static final ModelShape LARGE = t5(1024, 24, new Heads(16, 16, 64, false), 4096, Family.GPT2);

    private static ModelShape t5(int hidden, int layers, Heads heads, int ffn, Family family) {
        return new ModelShape(
                        hidden,
                        2 * layers,
                        family,
                        heads,
                        ffn,
                        MixtureOfExperts.NONE,
                        new Embeddings(32128, family == Family.GPT2, 0))
                .withDecoder(new Decoder(layers, OWN, 32));
    }

    /** Parameter counts of google-t5's five models, and of google/flan-t5-small and flan-t5-xxl. */
    @Test
    void holdsThePublishedParameters() {
        assertThat(t5(512, 6, new Heads(8, 8, 64, false), 2048, Family.GPT2).parameters())
                .isEqualTo(60_506_624);
        assertThat(t5(768, 12, new Heads(12, 12, 64, false), 3072, Family.GPT2).parameters())
                .isEqualTo(222_903_552);
        assertThat(LARGE.parameters()).isEqualTo(737_668_096);
        assertThat(t5(1024, 24, new Heads(32, 32, 128, false), 16384, Family.GPT2)
                        .parameters())
                .isEqualTo(2_851_598_336L);
        assertThat(t5(1024, 24, new Heads(128, 128, 128, false), 65536, Family.GPT2)
                        .parameters())
                .isEqualTo(11_307_321_344L);
        assertThat(t5(512, 8, new Heads(6, 6, 64, false), 1024, Family.LLAMA).parameters())
                .isEqualTo(76_961_152);
        assertThat(t5(4096, 24, new Heads(64, 64, 64, false), 10240, Family.LLAMA)
                        .parameters())
                .isEqualTo(11_135_332_352L);
    }

    /**
     * T5 large, counted by hand: an encoder token 0.604 GFLOP, a decoder token with head 0.770, keys and values of an encoder token 0.101; plus
     * attention.
     */
    @Test
    void countsEachTokenWhereItIs() {
        double h = 1024;
        double encoderToken = 24 * 2 * 12 * h * h;
        double keysAndValues = 24 * 2 * 2 * h * h;
        double decoderToken = 24 * 2 * 14 * h * h + 2 * 32128 * h;
        double attention = 24 * 4 * h * ((double) SEQUENCE * SEQUENCE + (double) OWN * OWN + (double) OWN * SEQUENCE);
        double expected = SEQUENCE * (encoderToken + keysAndValues) + OWN * decoderToken + attention;
        assertThat(LARGE.forwardFlops(SEQUENCE, SEQUENCE)).isCloseTo(expected, within(1e-9 * expected));
        assertThat(decoderToken).isCloseTo(0.770e9, within(0.001e9));
        assertThat(LARGE.lossTokens(BATCH, SEQUENCE)).isEqualTo(BATCH * OWN);
        assertThat(LARGE.attentionFlopsPerToken(SEQUENCE) * SEQUENCE)
                .isCloseTo(3 * attention, within(1e-9 * attention));
    }

    @Test
    void hasFiveKindsOfLayers() {
        assertThat(LARGE.operators().stretches().stream().map(Stretch::layers)).containsExactly(1, 22, 1, 1, 23);
        assertThat(LARGE.kind(47).blocks()).hasSize(4);
    }

    /** GEMM flops of the kernels equal the shape's count, in each direction, for every kind of layer. */
    @Test
    void computesWhatItCounts() {
        for (int layer : List.of(0, 1, 23, 24, 47)) {
            Segments segments = new Segments(LARGE.operators());
            double forward = matmulFlops(segments.forward(Section.layer(LARGE.kindOf(layer))), AttentionKind.STANDARD);
            double expected = LARGE.layerForwardFlops(layer, (long) BATCH * SEQUENCE, SEQUENCE);
            assertThat(forward).isCloseTo(expected, within(1e-9 * expected));
            assertThat(matmulFlops(segments.backward(Section.layer(LARGE.kindOf(layer))), AttentionKind.STANDARD))
                    .isCloseTo(2 * expected, within(1e-9 * expected));
        }
    }

    @Test
    void attendsToTheEncoderWithoutAMask() {
        Segments segments = new Segments(LARGE.operators());
        assertThat(kernels(segments.forward(Section.layer(4)), AttentionKind.FLASH))
                .contains(new Kernel.FlashAttention(
                        "attention", BATCH * 16, OWN, new Kernel.Keys(SEQUENCE, false), 64, Kernel.Pass.FORWARD))
                .contains(new Kernel.FlashAttention(
                        "attention", BATCH * 16, OWN, new Kernel.Keys(OWN, true), 64, Kernel.Pass.FORWARD));
    }

    /** Counted by hand: 16-bit activations, with dropout, that a decoder layer saves for its own tokens, and keys and values of the encoder's. */
    @Test
    void keepsByTheTokensOfEachBlock() {
        long h = 1024;
        long scores = 16L * 5;
        long self = OWN * (2 * (h + 3 * h + h) + h + scores * OWN);
        long cross = OWN * (2 * (h + h + h + h) + h + scores * SEQUENCE) + SEQUENCE * 2 * 2 * h;
        long feedForward = OWN * (2 * (h + h + 4096 + 4096) + h);
        // Inputs of the GEMMs after the two norms: queries and the FFN's first GEMM.
        long self2 = OWN * 2 * h;
        ActivationMemory memory = new ActivationMemory(
                LARGE, AttentionKind.STANDARD, true, 1, false, 2, false, Recomputed.CORE_ATTENTION);
        assertThat(memory.layerBytes(47, BATCH, SEQUENCE, Checkpointing.NONE))
                .isEqualTo(BATCH * (self + self2 + cross + feedForward));
        assertThat(memory.byOperator(47, BATCH, SEQUENCE).stream()
                        .mapToLong(one -> one.inputBytes() + one.withinBytes())
                        .sum())
                .isEqualTo(memory.layerBytes(47, BATCH, SEQUENCE, Checkpointing.NONE));
        assertThat(memory.layerBytes(47, BATCH, SEQUENCE, Checkpointing.FULL)).isEqualTo(2L * BATCH * OWN * h);
    }

    @Test
    void refusesWhatADecoderHasNot() {
        Encoder bert = new Encoder(0.15, false, 2, true, Encoder.Norms.BEHIND);
        assertThatThrownBy(() -> LARGE.withEncoder(bert)).hasMessageContaining("decoder_layers 24 needs");
        assertThatThrownBy(() -> LARGE.withDecoder(new Decoder(48, OWN, 32)))
                .hasMessageContaining("decoder_layers 48 needs layers of an encoder");
    }

    private static List<Kernel> kernels(Segment segment, AttentionKind attention) {
        return new LayerKernels(LARGE, Workload.of(SEQUENCE, BATCH, attention), FrameworkProfile.named("eager"))
                .of(segment);
    }

    private static double matmulFlops(Segment segment, AttentionKind attention) {
        return kernels(segment, attention).stream()
                .filter(Kernel.Matmul.class::isInstance)
                .mapToDouble(kernel -> ((Kernel.Matmul) kernel).flops())
                .sum();
    }
}
