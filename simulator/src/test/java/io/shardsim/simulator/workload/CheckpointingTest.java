package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CheckpointingTest {
    private static final ModelShape GPT2 = ModelShape.gpt2(768, 12, 12, 50257, 1024);
    private static final ModelShape LLAMA = ModelShape.llama(8192, 80, 64, 28672, 32000, 8);

    /** Key, output and up projection of the seven matrices. */
    @Test
    void operatorRecomputesEverySecondProductOfLlama() {
        double recomputed = 1024 + 8192 + 28672;
        double all = 2.0 * 1024 + 2.0 * 8192 + 3.0 * 28672;
        assertThat(Checkpointing.OPERATOR.recomputedProducts(LLAMA, Recomputed.CORE_ATTENTION))
                .isEqualTo(recomputed / all);
    }

    @Test
    void operatorKeepsNoProductWithABias() {
        assertThat(Checkpointing.OPERATOR.recomputedProducts(GPT2, Recomputed.CORE_ATTENTION))
                .isEqualTo(1);
    }

    @Test
    void fullRecomputesAllProductsAndTheOthersNone() {
        assertThat(Checkpointing.FULL.recomputedProducts(LLAMA, Recomputed.CORE_ATTENTION))
                .isEqualTo(1);
        assertThat(Checkpointing.SELECTIVE.recomputedProducts(LLAMA, Recomputed.CORE_ATTENTION))
                .isZero();
        assertThat(Checkpointing.NONE.recomputedProducts(LLAMA, Recomputed.CORE_ATTENTION))
                .isZero();
    }
}
