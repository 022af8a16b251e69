package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.Segment.Section;
import org.junit.jupiter.api.Test;

/** Multi-token prediction modules: a projection before a layer, and logits after it. */
class MultiTokenPredictionTest {
    private static final int HIDDEN = 512;
    private static final int LAYERS = 6;
    private static final int VOCAB = 10_000;
    private static final int TOKENS = 1024;
    private static final ModelShape MODEL = new ModelShape(
            HIDDEN,
            LAYERS,
            Family.LLAMA,
            new Heads(8, 8, 64, false),
            1408,
            new MixtureOfExperts(new Experts(16, 4), 256, 0, 2, 1),
            new Embeddings(VOCAB, false, 0));
    private static final ModelShape MODULES = MODEL.withMtpLayers(2);

    /** A layer, the projection of two hidden states to one, and the norms of both and of the result; embedding and head are shared. */
    @Test
    void aModuleHasALayerAProjectionAndThreeNorms() {
        long module = MODEL.layerParameters(LAYERS - 1) + 2L * HIDDEN * HIDDEN + 3L * HIDDEN;
        assertThat(MODULES.layers()).isEqualTo(LAYERS + 2);
        assertThat(MODULES.parameters()).isEqualTo(MODEL.parameters() + 2 * module);
        assertThat(MODULES.withMtpLayers(0)).isEqualTo(MODEL);
    }

    /** The logits multiply once more with the head's weights. */
    @Test
    void aModuleComputesALayerTheProjectionAndLogits() {
        double module = MODEL.layerForwardFlops(LAYERS - 1, TOKENS, TOKENS)
                + 2.0 * TOKENS * (2L * HIDDEN * HIDDEN + (long) VOCAB * HIDDEN);
        assertThat(MODULES.forwardFlops(TOKENS, TOKENS)).isEqualTo(MODEL.forwardFlops(TOKENS, TOKENS) + 2 * module);
        assertThat(MODULES.backwardFlops(TOKENS, TOKENS)).isEqualTo(2 * MODULES.forwardFlops(TOKENS, TOKENS));
        double idle = 3.0 * HIDDEN * 256 * (16 - 4);
        assertThat(MODULES.countedParameters(TOKENS) - MODEL.countedParameters(TOKENS))
                .isEqualTo(MODULES.parameters() - MODEL.parameters() - 2 * idle + 2.0 * VOCAB * HIDDEN);
    }

    /** Saved: the inputs of three norms, of the projection (two hidden states) and of the logits. A checkpoint saves three hidden states. */
    @Test
    void aModuleSavesSixHiddenStatesMoreThanALayer() {
        ActivationMemory memory = new ActivationMemory(
                MODULES, AttentionKind.FLASH, false, 1, false, 2, false, Recomputed.CORE_ATTENTION);
        long hidden = 2L * TOKENS * HIDDEN;
        assertThat(memory.layerBytes(LAYERS, 1, TOKENS, Checkpointing.NONE))
                .isEqualTo(memory.layerBytes(LAYERS - 1, 1, TOKENS, Checkpointing.NONE) + 6 * hidden);
        assertThat(memory.layerBytes(LAYERS, 1, TOKENS, Checkpointing.FULL)).isEqualTo(3 * hidden);
    }

    @Test
    void logitsAreNotRecomputed() {
        Section module = Section.layer(MODULES.kindOf(LAYERS));
        Segments segments = new Segments(MODULES.operators());
        int operators = MODULES.operators().of(module).size();
        assertThat(segments.forward(module).pieces()).hasSize(operators);
        for (Checkpointing checkpointing : new Checkpointing[] {Checkpointing.FULL, Checkpointing.OPERATOR}) {
            assertThat(segments.recompute(module, checkpointing, false).pieces())
                    .isNotEmpty()
                    .noneMatch(piece -> piece.at() == operators - 1);
        }
    }

    @Test
    void otherFamiliesAreRefused() {
        assertThatThrownBy(
                        () -> ModelShape.gpt2(HIDDEN, LAYERS, 8, VOCAB, TOKENS).withMtpLayers(1))
                .hasMessage("mtp_layers 1 needs gated_ffn true and layers before it");
    }
}
