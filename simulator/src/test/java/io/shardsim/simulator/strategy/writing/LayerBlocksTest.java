package io.shardsim.simulator.strategy.writing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.strategy.JobBuilder;
import io.shardsim.simulator.strategy.StrategyCatalog;
import io.shardsim.simulator.strategy.writing.LayerBlocks.Kept;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayerBlocksTest {
    private static final ModelShape LLAMA = ModelShape.llama(4096, 2, 32, 11008, 50304, 8);
    private static final ModelShape GPT = ModelShape.gpt2(2048, 2, 16, 51200, 1024);

    @ParameterizedTest
    @CsvSource({
        "eager, 1, false",
        "eager, 4, true",
        "fused, 2, true",
        "megatron, 4, false",
        "transformer-engine, 4, true",
        "modalities, 2, false",
        "compiled, 1, false",
        "scaling, 4, true"
    })
    void blocksOfALayerSumToWhatItKeeps(String kernels, int tensor, boolean sequence) {
        for (ModelShape model : new ModelShape[] {LLAMA, GPT}) {
            for (AttentionKind attention : AttentionKind.values()) {
                TrainingJob job = job(model, kernels, attention, tensor, sequence);
                MicroBatchMemory memory = new MicroBatchMemory(job, job.profile());
                long blocks = LayerBlocks.of(job, memory, 0).stream()
                        .mapToLong(Kept::bytes)
                        .sum();
                assertThat(blocks).as("%s", attention).isCloseTo(memory.keptBytes(0), within(64L));
            }
        }
    }

    /** A rank has gradients of its own experts, or of its slices of theirs. */
    @ParameterizedTest
    @CsvSource({"1, 1", "4, 1", "4, 2"})
    void gradientsOfExpertsAreThoseOfARank(int experts, int slices) {
        ModelShape model = new ModelShape(
                1024,
                2,
                Family.LLAMA,
                new Heads(16, 16, 64, false),
                2048,
                new MixtureOfExperts(new Experts(8, 2), 512, 0, 0, 1),
                new Embeddings(51200, false, 0));
        Map<String, Integer> given = Map.of("expert_parallel", experts, "expert_tensor_parallel", slices);
        TrainingJob job = JobBuilder.job(model)
                .ranks(8)
                .samples(1024, 2, 4)
                .parallel(StrategyCatalog.load().create("megatron-core", given).modelParallel())
                .build();
        long matrices = LayerBlocks.of(job, new MicroBatchMemory(job, job.profile()), 0).stream()
                .flatMap(kept -> kept.matrixBytes().stream())
                .mapToLong(Long::longValue)
                .sum();
        long normsAndRouter = 2L * (2 * 1024 + 8 * 1024);
        assertThat(matrices).isEqualTo(2 * job.layerParameters(0) - normsAndRouter);
    }

    private static TrainingJob job(
            ModelShape model, String kernels, AttentionKind attention, int tensor, boolean sequence) {
        ModelParallel parallel = StrategyCatalog.load()
                .create("megatron-core", Map.of("tensor_parallel", tensor, "sequence_parallel", sequence))
                .modelParallel();
        return JobBuilder.job(model)
                .samples(1024, 2, 4)
                .attention(attention)
                .checkpointing(Checkpointing.NONE)
                .kernels(kernels)
                .parallel(parallel)
                .build();
    }
}
