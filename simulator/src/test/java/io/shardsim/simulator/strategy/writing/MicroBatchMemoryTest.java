package io.shardsim.simulator.strategy.writing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.strategy.JobBuilder;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import org.junit.jupiter.api.Test;

class MicroBatchMemoryTest {
    private static final ModelShape EIGHT_OF_32_HEADS = ModelShape.llama(4096, 2, 32, 11008, 50304, 8);

    /** Keys and values of 8 heads, repeated for 32, keep 24 more of each (Modalities, _repeat_kv before PyTorch's attention). */
    @Test
    void copiesOfKeysAndValuesAreKeptWhereAFrameworkMakesThem() {
        long tokens = 2 * 2048;
        long rmsNorms = 2 * 6 * 4096 * tokens;
        long copies = 2 * 2 * 24 * 128 * tokens;

        assertThat(keptBytes("modalities", Checkpointing.NONE) - keptBytes("eager", Checkpointing.NONE))
                .as("copies, but layer norms that save no more than their input")
                .isEqualTo(copies - rmsNorms);
        assertThat(keptBytes("modalities", Checkpointing.FULL)).isEqualTo(keptBytes("eager", Checkpointing.FULL));
    }

    /** Gate and up projection and their product; if unfused, also SiLU's result, and six bytes within each norm. */
    @Test
    void aGatedActivationInOneKernelKeepsThreeTensors() {
        long tokens = 2 * 2048;
        long layer = 2 * (4 * 4096 + 2 * (4096 + 1024) + 3 * 11008) + 4 * 32;

        assertThat(keptBytes("transformer-engine", Checkpointing.NONE)).isEqualTo(layer * tokens);
        assertThat(keptBytes("eager", Checkpointing.NONE)).isEqualTo((layer + 2 * 11008 + 2 * 6 * 4096) * tokens);
    }

    /**
     * The operands of three of four GEMMs are saved in FP8 instead of 16 bits, and attention's result in both formats (TransformerEngine, inputmat_t
     * and ln_out).
     */
    @Test
    void productsOf8BitsKeepTheirOperandsSo() {
        long tokens = 2 * 2048;
        long spared = 2 * 4096 + 11008 - 4096;

        assertThat(keptBytes("transformer-engine", Checkpointing.NONE)
                        - keptBytes("transformer-engine-fp8", Checkpointing.NONE))
                .isEqualTo(spared * tokens);
        assertThat(keptBytes("transformer-engine-fp8", Checkpointing.FULL))
                .isEqualTo(keptBytes("transformer-engine", Checkpointing.FULL));
        assertThat(keptBytes("torchtitan-float8", Checkpointing.NONE))
                .as("rounded again in backward")
                .isEqualTo(keptBytes("torchtitan-compile", Checkpointing.NONE));
    }

    private static long keptBytes(String kernels, Checkpointing checkpointing) {
        TrainingJob job = JobBuilder.job(EIGHT_OF_32_HEADS)
                .samples(2048, 2, 1)
                .attention(AttentionKind.FLASH)
                .dropout(false)
                .checkpointing(checkpointing)
                .kernels(kernels)
                .build();
        return new MicroBatchMemory(job, FrameworkProfile.named(kernels)).keptBytes(0);
    }
}
