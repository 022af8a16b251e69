package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.Segment.Piece;
import io.shardsim.simulator.workload.Segment.Portion;
import io.shardsim.simulator.workload.Segment.Section;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A layer with h = 1024, 16 heads of 64, 8 experts of 512, 2 per token, and a shared one of 256; the first layer is dense, with 2048. */
class RecomputedTest {
    private static final ModelShape MODEL = new ModelShape(
            1024,
            2,
            Family.LLAMA,
            new Heads(16, 16, 64, false),
            2048,
            new MixtureOfExperts(new Experts(8, 2), 512, 256, 1, 1),
            new Embeddings(32000, false, 0));

    private static long kept(int layer, Checkpointing checkpointing, String... modules) {
        return new ActivationMemory(
                        MODEL, AttentionKind.FLASH, false, 1, false, 2, false, new Recomputed(List.of(modules)))
                .layerBytes(layer, 1, 1, checkpointing);
    }

    /** Elements of 2 bytes per token that recomputing a module saves. */
    @ParameterizedTest
    @CsvSource({
        "1, moe_act, 1024",
        "1, layernorm, 2048",
        "0, layernorm, 2048",
        // Gate, up and their product.
        "0, mlp, 6144",
        "1, shared_experts, 768",
        // The shared expert's saved tensors, both copies of the input, intermediate tensors, both results, and 8 logits
        // of 4 bytes.
        "1, moe, 7952",
        // Log-sum-exp of 16 heads in 4 bytes.
        "0, core_attn, 32"
    })
    void aModuleSparesWhatItsOperatorsMake(int layer, String module, long elements) {
        assertThat(kept(layer, Checkpointing.NONE) - kept(layer, Checkpointing.SELECTIVE, module))
                .isEqualTo(2 * elements);
    }

    @Test
    void modulesAddUp() {
        long whole = kept(1, Checkpointing.NONE);
        assertThat(whole - kept(1, Checkpointing.SELECTIVE, "moe_act", "layernorm"))
                .isEqualTo(2 * (1024 + 2048));
    }

    /** DeepSeek-V3: query, key and value of 128 heads, and the two latents after their norms. */
    @Test
    void upProjectionsOfLatentAttentionSpareHeads() {
        ModelShape latent = new ModelShape(
                7168,
                2,
                Family.LLAMA,
                new Heads(128, 128, 192, new Latent(1536, 512, 64, 128), false, Window.NONE),
                18432,
                MixtureOfExperts.NONE,
                new Embeddings(129280, false, 0));
        ActivationMemory memory = new ActivationMemory(
                latent, AttentionKind.FLASH, false, 1, false, 2, false, new Recomputed(List.of("mla_up_proj")));
        assertThat(memory.layerBytes(0, 1, 1, Checkpointing.NONE) - memory.layerBytes(0, 1, 1, Checkpointing.SELECTIVE))
                .isEqualTo(2L * (128 * (192 + 192 + 128) + 512 + 1536));
    }

    @Test
    void operatorsOfModulesRunAgain() {
        Segments segments = new Segments(MODEL.operators(), new Recomputed(List.of("moe_act", "layernorm")));
        List<Operator> operators = MODEL.operators().of(Section.layer(1));
        assertThat(segments.recompute(Section.layer(1), Checkpointing.SELECTIVE, false)
                        .pieces())
                .extracting(piece -> operators.get(piece.at()).name())
                .containsExactly("input_norm", "ffn_norm", "experts.activation");
        assertThat(new Segments(MODEL.operators())
                        .recompute(Section.layer(1), Checkpointing.SELECTIVE, false)
                        .pieces())
                .extracting(Piece::portion)
                .containsExactly(Portion.CORE);
    }

    @Test
    void aModelHasTheModulesOfItsLayers() {
        assertThat(Recomputed.of(MODEL.operators()))
                .containsExactly("core_attn", "layernorm", "mlp", "moe_act", "shared_experts", "moe");
        assertThat(Recomputed.of(ModelShape.gpt2(768, 12, 12, 50257, 1024).operators()))
                .containsExactly("core_attn", "layernorm", "mlp");
    }

    /** Three of four matrices' weights of the dense layer are in its FFN; in the other layer none are. */
    @Test
    void productsOfModulesCountAsRunAgain() {
        long attention = 4L * 1024 * 1024;
        long dense = 3L * 1024 * 2048;
        long experts = 3L * 1024 * (2 * 512 + 256);
        assertThat(Checkpointing.SELECTIVE.recomputedProducts(MODEL, new Recomputed(List.of("mlp"))))
                .isEqualTo((double) dense / (2 * attention + dense + experts));
    }
}
