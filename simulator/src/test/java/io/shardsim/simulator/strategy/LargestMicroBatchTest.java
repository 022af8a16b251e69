package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.strategy.LargestMicroBatch.Found;
import io.shardsim.simulator.workload.ModelShape;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** GPT-2 30B on 256 GPUs of 40 GB, 6 sequences of 2048 tokens for each GPU and step, all activations recomputed. */
class LargestMicroBatchTest {
    private static final ModelShape GPT_30B = ModelShape.gpt2(7168, 48, 64, 50257, 2048);
    private static final TrainingJob JOB = Strategies.job(GPT_30B, 256, 2048, 1, 6);

    /** What CUDA reports for an A100-SXM4-40GB [bytes]. */
    private static final long CAPACITY = 42_505_273_344L;

    private static final ShardingStrategy MICS = Strategies.of("mics", Map.of("shard_group", 128));

    @Test
    void offloadingActivationsDoublesWhatFitsUnderMics() {
        Found kept = LargestMicroBatch.of(MICS, JOB, CAPACITY);
        Found offloaded =
                LargestMicroBatch.of(MICS, JobBuilder.like(JOB).offload(true).build(), CAPACITY);
        assertThat(kept.job().microBatch()).isEqualTo(3);
        assertThat(kept.job().accumulationSteps()).isEqualTo(2);
        assertThat(offloaded.job().microBatch()).isEqualTo(6);
        assertThat(offloaded.ledger().atPeak().get(MemoryOwner.ACTIVATIONS))
                .isLessThan(kept.ledger().atPeak().get(MemoryOwner.ACTIVATIONS));
    }

    @Test
    void keepsTheSamplesOfARank() {
        Found found = LargestMicroBatch.of(Strategies.of("zero3", Map.of()), JOB, CAPACITY);
        assertThat(found.fits()).isTrue();
        assertThat(found.job().microBatch() * found.job().accumulationSteps()).isEqualTo(6);
        assertThat(found.ledger().headroomBytes(CAPACITY)).isPositive();
    }

    /** A GELU of eight operators saves three more tensors of the feed-forward width than a fused one. */
    @Test
    void eagerKernelsSaveMoreAndFitLess() {
        ShardingStrategy zero3 = Strategies.of("zero3", Map.of());
        long fused = MemoryLedger.of(zero3.plan(JOB.withMicroBatch(6, 1))).peakBytes();
        TrainingJob eager = JobBuilder.like(JOB).kernels(zero3.defaultKernels()).build();
        assertThat(LargestMicroBatch.of(zero3, JOB, fused).job().microBatch()).isEqualTo(6);
        assertThat(LargestMicroBatch.of(zero3, eager, fused).job().microBatch()).isEqualTo(3);
        assertThat(LargestMicroBatch.of(zero3, eager, CAPACITY).job().microBatch())
                .isEqualTo(3);
    }

    @Test
    void skipsMicroBatchesThatDoNotDivideTheSamples() {
        long threeAndABit = MemoryLedger.of(MICS.plan(JOB.withMicroBatch(3, 2))).peakBytes();
        long five = MemoryLedger.of(MICS.plan(JOB.withMicroBatch(5, 1))).peakBytes();
        assertThat(LargestMicroBatch.of(MICS, JOB, five).job().microBatch()).isEqualTo(3);
        assertThat(LargestMicroBatch.of(MICS, JOB, threeAndABit - 1).job().microBatch())
                .isEqualTo(2);
    }

    /** 8 samples make 8, 4, 2 micro-batches and one; interleaving on four stages takes multiples of four. */
    @Test
    void skipsMicroBatchesThatTheScheduleCannotInterleave() {
        ShardingStrategy interleaved = Strategies.of(
                "megatron", Map.of("pipeline_parallel", 4, "pipeline_schedule", "interleaved", "model_chunks", 2));
        TrainingJob job = JobBuilder.like(Strategies.job(GPT_30B, 32, 2048, 1, 8))
                .parallel(interleaved.modelParallel())
                .build();
        assertThat(LargestMicroBatch.of(interleaved, job, Long.MAX_VALUE).job().microBatch())
                .isEqualTo(2);
    }

    @Test
    void saysWhenNothingFitsAndByHowMuch() {
        TrainingJob oneNode = Strategies.job(GPT_30B, 8, 2048, 1, 6);
        Found found = LargestMicroBatch.of(Strategies.of("zero3", Map.of()), oneNode, CAPACITY);
        assertThat(found.fits()).isFalse();
        assertThat(found.job().microBatch()).isEqualTo(1);
        assertThat(-found.ledger().headroomBytes(CAPACITY)).isGreaterThan(16L * GPT_30B.parameters() / 8 - CAPACITY);
    }
}
