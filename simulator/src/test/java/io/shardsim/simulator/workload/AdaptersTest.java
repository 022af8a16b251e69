package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class AdaptersTest {
    private static final ModelShape LLAMA_2_7B = ModelShape.llama(4096, 32, 32, 11008, 32000, 32);
    private static final ModelShape QUERY_AND_VALUE = adapted(8, 16, "q_proj", "v_proj");

    private static ModelShape adapted(int rank, int frozenBits, String... modules) {
        return LLAMA_2_7B.withAdapters(new Adapters(rank, List.of(modules), frozenBits));
    }

    private static long bytes(ModelShape model, int layer) {
        return model.layerTensors(layer).stream()
                .filter(tensor -> !tensor.isTrained())
                .mapToLong(tensor -> tensor.bytes(2))
                .sum();
    }

    /** The two numbers printed by meta-pytorch/torchtune, docs/source/tutorials/lora_finetune.rst, at bd2a0fc. */
    @Test
    void rankEightOnQueryAndValueTrainsFourMillionOfLlama() {
        assertThat(QUERY_AND_VALUE.trainedParameters()).isEqualTo(4_194_304);
        assertThat(QUERY_AND_VALUE.parameters()).isEqualTo(6_742_609_920L);
        assertThat(LLAMA_2_7B.trainedParameters()).isEqualTo(LLAMA_2_7B.parameters());
    }

    @Test
    void allLinearIsEveryMatrixOfALayer() {
        long ofLayer = 4L * 16 * (4096 + 4096) + 3L * 16 * (4096 + 11008);

        assertThat(adapted(16, 16, Adapters.ALL).trainedParameters()).isEqualTo(32 * ofLayer);
        assertThat(adapted(16, 4, "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
                        .trainedParameters())
                .isEqualTo(32 * ofLayer);
    }

    /** Frozen matrices have a forward and an input gradient; adapters and attention have all three GEMMs. */
    @Test
    void frozenMatricesCostTwoThirdsOfTheGemms() {
        long matrices = 32L * (4 * 4096L * 4096 + 3 * 4096L * 11008) + 4096L * 32000;
        double attention = 3.0 * 32 * 4 * 2048 * 4096;

        assertThat(flops(QUERY_AND_VALUE)).isEqualTo(4.0 * matrices + 6.0 * 4_194_304 + attention, within(1.0));
        assertThat(flops(LLAMA_2_7B)).isEqualTo(6.0 * matrices + attention, within(1.0));
    }

    private static double flops(ModelShape shape) {
        return shape.forwardFlops(1, 2048) + shape.backwardFlops(1, 2048);
    }

    /** n/2 codes, n/64 one-byte scales, and n/16384 FP32 scales of these. */
    @Test
    void frozenMatricesAreHeldInTheirOwnFormat() {
        long matrices = 4 * 4096L * 4096 + 3 * 4096L * 11008;
        long norms = 2 * 2 * 4096;

        assertThat(bytes(QUERY_AND_VALUE, 0)).isEqualTo(2 * matrices + norms);
        assertThat(bytes(adapted(8, 8, "q_proj"), 0)).isEqualTo(matrices + norms);
        assertThat(bytes(adapted(8, 4, "q_proj"), 0))
                .isEqualTo(matrices / 2 + matrices / 64 + 4 * matrices / 16384 + norms);
        assertThat(adapted(8, 4, "q_proj").outputTensors())
                .noneMatch(tensor -> tensor.tuning().isQuantized());
    }

    /** A layer without checkpoints, in 16 bits: the input shared by adapters is saved once, and flash attention's saved tensors stay. */
    @Test
    void aLayerKeepsWhatAdaptersTake() {
        long h = 4096;
        long whatStays = 2 * (2 * h + 3 * h + h + 2 * 11008) + 4 * 32;

        assertThat(kept(LLAMA_2_7B)).isEqualTo(whatStays + 2 * (2 * h + 11008));
        assertThat(kept(QUERY_AND_VALUE)).isEqualTo(whatStays + 2 * (h + 2 * 8));
        assertThat(kept(adapted(8, 16, "q_proj"))).isEqualTo(whatStays + 2 * (h + 8));
        assertThat(kept(adapted(8, 16, "o_proj"))).isEqualTo(whatStays + 2 * 8);
        assertThat(kept(adapted(8, 16, Adapters.ALL))).isEqualTo(whatStays + 2 * (2 * h + 11008 + 7 * 8));
    }

    private static long kept(ModelShape model) {
        return new ActivationMemory(model, AttentionKind.FLASH, false, 1, false, 2, false, Recomputed.CORE_ATTENTION)
                .layerBytes(0, 1, 1, Checkpointing.NONE);
    }

    @Test
    void modulesAreThoseOfTheModel() {
        assertThat(Adapters.modulesOf(LLAMA_2_7B))
                .containsExactly("down_proj", "gate_proj", "k_proj", "o_proj", "q_proj", "up_proj", "v_proj");
        assertThat(Adapters.modulesOf(ModelShape.gpt2(768, 12, 12, 50257, 1024)))
                .containsExactly("down_proj", "o_proj", "qkv_proj", "up_proj");
        assertThatThrownBy(() -> adapted(8, 5, "q_proj")).hasMessage("lora.frozen_bits 5 is not 16, 8 or 4");
    }
}
