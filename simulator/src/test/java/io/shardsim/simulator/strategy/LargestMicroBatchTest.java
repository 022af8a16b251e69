package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.strategy.LargestMicroBatch.Found;
import io.shardsim.simulator.workload.ModelShape;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** GPT-2 30B on 256 GPUs of 40 GB, 6 sequences of 2048 tokens per GPU and step, all activations recomputed. */
class LargestMicroBatchTest {
    private static final ModelShape GPT_30B = ModelShape.gpt2(7168, 48, 64, 50257, 2048);
    private static final TrainingJob JOB = Strategies.job(GPT_30B, 256, 2048, 1, 6);

    /** Capacity that CUDA reports for an A100-SXM4-40GB [bytes]. */
    private static final GpuMemory CAPACITY = new GpuMemory(42_505_273_344L, 0);

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
        assertThat(found.fit().headroomBytes()).isPositive();
    }

    /** A GELU of eight operators saves three more tensors of the FFN width than a fused one. */
    @Test
    void eagerKernelsSaveMoreAndFitLess() {
        ShardingStrategy zero3 = Strategies.of("zero3", Map.of());
        long fused = MemoryLedger.of(zero3.plan(JOB.withMicroBatch(6, 1))).peakBytes();
        TrainingJob eager = JobBuilder.like(JOB).kernels(zero3.defaultKernels()).build();
        assertThat(LargestMicroBatch.of(zero3, JOB, of(fused)).job().microBatch())
                .isEqualTo(6);
        assertThat(LargestMicroBatch.of(zero3, eager, of(fused)).job().microBatch())
                .isEqualTo(3);
        assertThat(LargestMicroBatch.of(zero3, eager, CAPACITY).job().microBatch())
                .isEqualTo(3);
    }

    @Test
    void skipsMicroBatchesThatDoNotDivideTheSamples() {
        long threeAndABit = MemoryLedger.of(MICS.plan(JOB.withMicroBatch(3, 2))).peakBytes();
        long five = MemoryLedger.of(MICS.plan(JOB.withMicroBatch(5, 1))).peakBytes();
        assertThat(LargestMicroBatch.of(MICS, JOB, of(five)).job().microBatch()).isEqualTo(3);
        assertThat(LargestMicroBatch.of(MICS, JOB, of(threeAndABit - 1)).job().microBatch())
                .isEqualTo(2);
    }

    /** 8 samples can be 8, 4, 2 or 1 micro-batches; interleaving on four stages requires multiples of four. */
    @Test
    void skipsMicroBatchesThatTheScheduleCannotInterleave() {
        ShardingStrategy interleaved = Strategies.of(
                "megatron", Map.of("pipeline_parallel", 4, "pipeline_schedule", "interleaved", "model_chunks", 2));
        TrainingJob job = JobBuilder.like(Strategies.job(GPT_30B, 32, 2048, 1, 8))
                .parallel(interleaved.modelParallel())
                .build();
        assertThat(LargestMicroBatch.of(interleaved, job, of(Long.MAX_VALUE))
                        .job()
                        .microBatch())
                .isEqualTo(2);
    }

    /** The plan of many micro-batches is predicted from a few; three stages require multiples of three. */
    @Test
    void manyInterleavedMicroBatchesAreForeseen() {
        ShardingStrategy interleaved = Strategies.of(
                "megatron", Map.of("pipeline_parallel", 3, "pipeline_schedule", "interleaved", "model_chunks", 2));
        TrainingJob job = JobBuilder.like(Strategies.job(GPT_30B, 24, 2048, 1, 69))
                .parallel(interleaved.modelParallel())
                .build();
        Found found = LargestMicroBatch.given(interleaved, job, of(Long.MAX_VALUE));
        assertThat(found.job().accumulationSteps()).isEqualTo(69);
        assertThat(found.fits()).isTrue();
    }

    @Test
    void saysWhenNothingFitsAndByHowMuch() {
        TrainingJob oneNode = Strategies.job(GPT_30B, 8, 2048, 1, 6);
        Found found = LargestMicroBatch.of(Strategies.of("zero3", Map.of()), oneNode, CAPACITY);
        assertThat(found.fits()).isFalse();
        assertThat(found.job().microBatch()).isEqualTo(1);
        assertThat(found.fit().missingBytes()).isGreaterThan(16L * GPT_30B.parameters() / 8 - CAPACITY.capacityBytes());
    }

    /**
     * If only the smallest fits, and only without fragmentation, it is used; with one byte less nothing fits, whether the micro-batch is omitted or
     * given.
     */
    @Test
    void whatFitsWithoutFragmentationIsTheLastResort() {
        MemoryLedger one = MemoryLedger.of(MICS.plan(JOB.withMicroBatch(1, 6)));
        Found roomy = LargestMicroBatch.of(MICS, JOB, of(one.peakBytes()));
        Found tight = LargestMicroBatch.of(MICS, JOB, of(one.peakBytes() - 1));
        Found last = LargestMicroBatch.of(MICS, JOB, of(one.usedBytes()));
        Found none = LargestMicroBatch.of(MICS, JOB, of(one.usedBytes() - 1));
        assertThat(roomy.fit().isRoomy()).isTrue();
        for (Found found : new Found[] {tight, last}) {
            assertThat(found.fit().isTight()).isTrue();
            assertThat(found.job().microBatch()).isEqualTo(1);
        }
        assertThat(none.fits()).isFalse();
        assertThat(LargestMicroBatch.given(MICS, none.job(), of(one.usedBytes() - 1))
                        .fit())
                .isEqualTo(none.fit());
    }

    /** Gradients that accumulate over several micro-batches are unsharded; those of a single one never are. */
    @Test
    void oneMicroBatchMayFitWhereSmallerOnesDoNot() {
        ShardingStrategy fsdp = Strategies.of("fsdp2", Map.of("no_sync", true));
        long once = MemoryLedger.of(fsdp.plan(JOB.withMicroBatch(6, 1))).usedBytes();
        assertThat(LargestMicroBatch.given(fsdp, JOB, of(once)).fits()).isFalse();
        Found found = LargestMicroBatch.of(fsdp, JOB, of(once));
        assertThat(found.fit().isTight()).isTrue();
        assertThat(found.job().microBatch()).isEqualTo(6);
    }

    private static GpuMemory of(long capacityBytes) {
        return new GpuMemory(capacityBytes, 0);
    }
}
