package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The formulas of arXiv:2205.05198, for GPT-3: s 2048, b 1, h 12288, a 96, t 8. */
class ActivationMemoryTest {
    private static final ModelShape GPT3 = ModelShape.gpt2(12288, 96, 96, 51200, 2048);
    private static final long SBH = 2048L * 12288;
    private static final long AS_PER_H = 96L * 2048 / 12288;

    private static ActivationMemory standard(int tensorParallel, boolean sequenceParallel) {
        return new ActivationMemory(
                GPT3,
                AttentionKind.STANDARD,
                true,
                tensorParallel,
                sequenceParallel,
                2,
                false,
                Recomputed.CORE_ATTENTION);
    }

    @Test
    void oneRankKeepsEquationOne() {
        assertThat(standard(1, false).layerBytes(0, 1, 2048, Checkpointing.NONE))
                .isEqualTo(SBH * (34 + 5 * AS_PER_H));
    }

    @Test
    void tensorParallelKeepsEquationTwo() {
        assertThat(standard(8, false).layerBytes(0, 1, 2048, Checkpointing.NONE))
                .isEqualTo(SBH * 10 + SBH * (24 + 5 * AS_PER_H) / 8);
    }

    @Test
    void sequenceParallelKeepsEquationFour() {
        assertThat(standard(8, true).layerBytes(0, 1, 2048, Checkpointing.NONE))
                .isEqualTo(SBH * (34 + 5 * AS_PER_H) / 8);
    }

    @Test
    void selectiveDropsTheQuadraticTerm() {
        assertThat(standard(8, true).layerBytes(0, 1, 2048, Checkpointing.SELECTIVE))
                .isEqualTo(SBH * 34 / 8);
    }

    @Test
    void in32BitsAllButTheMasksAreTwiceAsLarge() {
        ActivationMemory wide =
                new ActivationMemory(GPT3, AttentionKind.STANDARD, true, 1, false, 4, false, Recomputed.CORE_ATTENTION);
        long masks = SBH * (2 + AS_PER_H);
        assertThat(wide.layerBytes(0, 1, 2048, Checkpointing.NONE))
                .isEqualTo(2 * (SBH * (34 + 5 * AS_PER_H) - masks) + masks);
        assertThat(wide.layerBytes(0, 1, 2048, Checkpointing.FULL)).isEqualTo(SBH * 4);
    }

    @Test
    void fullKeepsTheInputAlone() {
        assertThat(standard(1, false).layerBytes(0, 3, 2048, Checkpointing.FULL))
                .isEqualTo(3 * SBH * 2);
    }

    /**
     * Llama 2 70B: the input, attention's output with one FP32 value per head, query, value, gate and the last GEMM's result (torchtitan's save
     * list).
     */
    @Test
    void operatorKeepsEverySecondProductWithoutABias() {
        ModelShape llama = ModelShape.llama(8192, 80, 64, 28672, 32000, 8);
        ActivationMemory flash =
                new ActivationMemory(llama, AttentionKind.FLASH, false, 1, false, 2, false, Recomputed.CORE_ATTENTION);
        assertThat(flash.layerBytes(0, 1, 4096, Checkpointing.OPERATOR))
                .isEqualTo(4096L * (2 * (8192 + 8192 + 8192 + 1024 + 28672 + 8192) + 4 * 64));
        ActivationMemory biased =
                new ActivationMemory(GPT3, AttentionKind.FLASH, true, 1, false, 2, false, Recomputed.CORE_ATTENTION);
        assertThat(biased.layerBytes(0, 1, 2048, Checkpointing.OPERATOR)).isEqualTo(2 * SBH * 2 + 2048L * 4 * 96);
    }

    /**
     * Inputs of the two norms, query, key, value and context, gate and up: fms-fsdp's 70B on H100 keeps 23 such layers in addition to its states.
     */
    @Test
    void aCompilerKeepsNoPointwiseResults() {
        ModelShape llama = ModelShape.llama(8192, 80, 64, 28672, 32000, 8);
        ActivationMemory compiled =
                new ActivationMemory(llama, AttentionKind.FLASH, false, 1, false, 2, true, Recomputed.CORE_ATTENTION);
        assertThat(compiled.layerBytes(0, 1, 4096, Checkpointing.NONE))
                .isEqualTo(4096L * (2 * (2 * 8192 + 2 * (8192 + 1024) + 2 * 28672) + 4 * 64));
        ActivationMemory eager =
                new ActivationMemory(llama, AttentionKind.FLASH, false, 1, false, 2, false, Recomputed.CORE_ATTENTION);
        assertThat(eager.layerBytes(0, 1, 4096, Checkpointing.OPERATOR)
                        - compiled.layerBytes(0, 1, 4096, Checkpointing.OPERATOR))
                .as("the last product")
                .isEqualTo(4096L * 2 * 8192);
    }

    @Test
    void flashKeepsLittleMoreThanSelective() {
        ActivationMemory flash =
                new ActivationMemory(GPT3, AttentionKind.FLASH, true, 1, false, 2, false, Recomputed.CORE_ATTENTION);
        long difference = flash.layerBytes(0, 1, 2048, Checkpointing.NONE)
                - standard(1, false).layerBytes(0, 1, 2048, Checkpointing.SELECTIVE);
        assertThat(difference).isEqualTo(4L * 96 * 2048);
    }

    @Test
    void backwardHoldsTwoScoreMatricesOrTwoFeedForwardGradients() {
        assertThat(standard(1, false).backwardTemporaryBytes(0, 1, 2048)).isEqualTo(4L * 96 * 2048 * 2048);
        ActivationMemory flash =
                new ActivationMemory(GPT3, AttentionKind.FLASH, true, 8, false, 2, false, Recomputed.CORE_ATTENTION);
        assertThat(flash.backwardTemporaryBytes(0, 1, 2048)).isEqualTo(4L * 4 * SBH / 8);
    }
}
