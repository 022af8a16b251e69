package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** LLaMA 13B with a vocabulary of 128,000 on A100 of 80 GB, ZeRO-1, logits gathered. */
class AllocatorReplayTest {
    private static final ModelShape LLAMA_13B = ModelShape.llama(5120, 40, 40, 13824, 128_000, 40);
    private static final long GIB = 1L << 30;
    private static final GpuMemory A100 = new GpuMemory(79 * GIB + GIB / 4, 0);

    private static TrainingJob job(ShardingStrategy strategy, AttentionKind attention, int tokens, int microBatch) {
        int samples = 512 * 8192 / tokens;
        int replicas = 128 / strategy.modelParallel().ranks();
        return JobBuilder.job(LLAMA_13B)
                .ranks(128)
                .samples(tokens, microBatch, samples / replicas / microBatch)
                .checkpointing(Checkpointing.FULL)
                .attention(attention)
                .dropout(false)
                .kernels("eager")
                .parallel(strategy.modelParallel())
                .build();
    }

    private static ShardingStrategy split(String kind, int tensor, int stages, Map<String, ?> more) {
        Map<String, Object> given = new HashMap<>(more);
        given.put("tensor_parallel", tensor);
        given.put("pipeline_parallel", stages);
        given.put("gather_logits", true);
        return Strategies.of(kind, given);
    }

    private static MemoryFit fit(ShardingStrategy strategy, TrainingJob job, GpuMemory gpu) {
        return LargestMicroBatch.given(strategy, job, gpu).fit();
    }

    /** Outcomes of arXiv:2311.05610: four samples of 8,192 tokens ran out of memory for every split, two ran. */
    @ParameterizedTest
    @CsvSource({"2, 4, 4, false", "4, 4, 4, false", "4, 4, 2, true", "2, 4, 2, true", "4, 2, 2, true", "1, 2, 1, true"})
    void blocksOfLogitsDecideWhetherALayoutRuns(int tensor, int stages, int microBatch, boolean ran) {
        ShardingStrategy strategy = split("zero1", tensor, stages, Map.of());
        TrainingJob job = job(strategy, AttentionKind.FLASH, 8192, microBatch);

        assertThat(fit(strategy, job, A100).fits()).isEqualTo(ran);
        assertThat(A100.fit(MemoryLedger.of(strategy.plan(job))).fits())
                .as("by its bytes alone")
                .isTrue();
    }

    @Test
    void whatIsMissingIsWhatItNeedsBeyondTheCapacity() {
        ShardingStrategy strategy = split("zero1", 4, 4, Map.of());
        TrainingJob job = job(strategy, AttentionKind.FLASH, 8192, 4);
        MemoryFit tooLarge = fit(strategy, job, A100);
        GpuMemory larger = new GpuMemory(tooLarge.neededBytes() + GIB, 0);

        assertThat(tooLarge.missingBytes()).isPositive();
        assertThat(tooLarge.reservedBytes()).isGreaterThanOrEqualTo(tooLarge.neededBytes());
        assertThat(fit(strategy, job, new GpuMemory(2 * A100.capacityBytes(), 0))
                        .neededBytes())
                .as("with room for all blocks it needs what is in use")
                .isLessThan(tooLarge.neededBytes());
        assertThat(fit(strategy, job, larger).missingBytes()).isLessThan(tooLarge.missingBytes());
    }

    /** A GEMM that accumulates into the buffer directly creates no gradient tensor. */
    @Test
    @Tag("slow")
    void gradientsThatAreAddedAfterwardsTakeMoreRoom() {
        Map<String, Object> given = Map.of("gradients_in_fp32", false);
        Map<String, Object> apart = Map.of("gradients_in_fp32", false, "gradient_accumulation_fusion", false);
        assertThat(smallestThatFits(split("megatron-core", 2, 1, given)))
                .isLessThan(smallestThatFits(split("megatron-core", 2, 1, apart)));
    }

    private static long smallestThatFits(ShardingStrategy strategy) {
        // So few tokens that the largest tensor is a matrix's gradient.
        TrainingJob job = job(strategy, AttentionKind.FLASH, 256, 1);
        long tooFew = 4;
        long enough = 4 * 80;
        while (enough - tooFew > 1) {
            long quarters = (tooFew + enough) / 2;
            if (fit(strategy, job, new GpuMemory(quarters * GIB / 4, 0)).fits()) {
                enough = quarters;
            } else {
                tooFew = quarters;
            }
        }
        return enough;
    }

    /** 0.6 GB of buffers per communicator (github.com/NVIDIA/nccl issue 964). */
    @ParameterizedTest
    @ValueSource(strings = {"zero1", "megatron-core"})
    void eachFurtherGroupOfARankHasACommunicator(String kind) {
        long alone = runtimeBytes(kind, 1, 1);

        assertThat(runtimeBytes(kind, 2, 1) - alone).isEqualTo(600_000_000);
        assertThat(runtimeBytes(kind, 1, 2) - alone).isEqualTo(600_000_000);
        assertThat(runtimeBytes(kind, 2, 2) - alone).isEqualTo(1_200_000_000);
    }

    private static long runtimeBytes(String kind, int tensor, int stages) {
        ShardingStrategy strategy = split(kind, tensor, stages, Map.of());
        return MemoryLedger.of(strategy.plan(job(strategy, AttentionKind.FLASH, 2048, 1)))
                .atPeak()
                .get(MemoryOwner.RUNTIME);
    }
}
