package io.shardsim.simulator.strategy;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_REDUCE;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.Adapters;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.ModelShape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a step that concern only adapters, and parts that also concern frozen parameters. */
class AdapterTrainingTest {
    private static final ModelShape LLAMA = ModelShape.llama(4096, 32, 32, 11008, 32000, 32);
    private static final int RANKS = 8;
    private static final long TRAINED = 39_976_960;
    private static final long MATRICES = 32L * (4 * 4096L * 4096 + 3 * 4096L * 11008);
    /** Embedding, head and norms. */
    private static final long OTHERS = 2 * 32000L * 4096 + (2 * 32 + 1) * 4096L;

    private static TrainingJob job(int frozenBits, int microBatches) {
        return JobBuilder.job(LLAMA.withAdapters(new Adapters(16, List.of(Adapters.ALL), frozenBits)))
                .ranks(RANKS)
                .samples(1024, 1, microBatches)
                .attention(AttentionKind.FLASH)
                .dropout(false)
                .kernels("eager")
                .build();
    }

    private static Map<MemoryOwner, Long> peak(StepPlan plan) {
        return MemoryLedger.of(plan, 0).atPeak();
    }

    private static long frozenBytes(int bits) {
        long matrices = switch (bits) {
            case 16 -> 2 * MATRICES;
            case 8 -> MATRICES;
            default -> MATRICES / 2 + MATRICES / 64 + 4 * MATRICES / 16384;
        };
        return matrices + 2 * OTHERS;
    }

    @Test
    void theJobIsThatOfTheseConstants() {
        assertThat(job(16, 1).model().trainedParameters()).isEqualTo(TRAINED);
        assertThat(LLAMA.parameters()).isEqualTo(MATRICES + OTHERS);
    }

    /** FP32 adapters with a 16-bit cast; gradients, moments and buckets only for these; nothing in addition to frozen weights. */
    @ParameterizedTest
    @ValueSource(ints = {16, 8, 4})
    void underDdpFrozenWeightsHaveNoStates(int bits) {
        StepPlan plan = Strategies.of("ddp", Map.of()).plan(job(bits, 2));
        Map<MemoryOwner, Long> held = peak(plan);

        assertThat(held).containsEntry(MemoryOwner.PARAMETERS, frozenBytes(bits) + (4 + 2) * TRAINED);
        assertThat(held).containsEntry(MemoryOwner.GRADIENTS, 4 * TRAINED);
        assertThat(held).containsEntry(MemoryOwner.OPTIMIZER_STATES, 8 * TRAINED);
        assertThat(Strategies.bytes(plan, ALL_REDUCE, "bucket")).isEqualTo(4 * TRAINED);
        assertThat(Strategies.moved(plan, "cast parameters"))
                .as("of two micro-batches")
                .isEqualTo(2 * 6 * TRAINED);
    }

    /** Only the flat buffer of trained parameters is sharded; frozen weights are on every rank. */
    @ParameterizedTest
    @ValueSource(ints = {16, 8, 4})
    void zeroTwoShardsStatesOfAdapters(int bits) {
        StepPlan plan = Strategies.of("zero2", Map.of()).plan(job(bits, 1));
        Map<MemoryOwner, Long> held = peak(plan);

        assertThat(held).containsEntry(MemoryOwner.PARAMETERS, frozenBytes(bits) + 2 * TRAINED);
        assertThat(held).containsEntry(MemoryOwner.GRADIENTS, 2 * TRAINED / RANKS);
        assertThat(Strategies.bytes(plan, REDUCE_SCATTER, "")).isEqualTo(2 * TRAINED);
        assertThat(Strategies.bytes(plan, ALL_GATHER, "updated")).isEqualTo(2 * TRAINED);
    }

    /** Frozen weights are gathered in their stored format: in 4 bits, a quarter of the bytes. */
    @ParameterizedTest
    @ValueSource(ints = {16, 8, 4})
    void fsdpGathersFrozenAndTrainedAndReducesTrained(int bits) {
        StepPlan plan = Strategies.of("fsdp2", Map.of("reduce_in_fp32", false)).plan(job(bits, 1));
        Map<MemoryOwner, Long> held = peak(plan);
        long root = 2 * 2 * 32000L * 4096 + 2 * 4096;

        assertThat(held).containsEntry(MemoryOwner.PARAMETERS, (frozenBytes(bits) + 4 * TRAINED) / RANKS);
        assertThat(held).containsEntry(MemoryOwner.OPTIMIZER_STATES, 8 * TRAINED / RANKS);
        assertThat(Strategies.bytes(plan, ALL_GATHER, "gather"))
                .as("layers twice, the root once")
                .isEqualTo(2 * (frozenBytes(bits) + 2 * TRAINED) - root);
        assertThat(Strategies.bytes(plan, REDUCE_SCATTER, "")).isEqualTo(2 * TRAINED);
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 8, 4})
    void zeroThreeShardsAllAndReducesTrained(int bits) {
        StepPlan plan =
                Strategies.of("zero3", Map.of("param_persistence_threshold", 0)).plan(job(bits, 1));
        Map<MemoryOwner, Long> held = peak(plan);

        assertThat(held).containsEntry(MemoryOwner.PARAMETERS, (frozenBytes(bits) + 2 * TRAINED) / RANKS);
        assertThat(held).containsEntry(MemoryOwner.GRADIENTS, 2 * TRAINED / RANKS);
        assertThat(Strategies.bytes(plan, REDUCE_SCATTER, "")).isEqualTo(2 * TRAINED);
        assertThat(Strategies.bytes(plan, ALL_GATHER, "parameters"))
                .isBetween(frozenBytes(bits) + 2 * TRAINED, 2 * (frozenBytes(bits) + 2 * TRAINED));
    }

    @Test
    void othersSayWhichStrategiesTrainAdapters() {
        assertThat(problems("mics", job(16, 1)))
                .contains("lora is not modelled with this strategy; use ddp, fsdp, fsdp-grad-op, fsdp-hybrid, "
                        + "fsdp2, smddp, zero1, zero2, zero3, zero3-0.11, or remove lora");
        assertThat(problems("zero3", job(16, 1))).isEmpty();
        TrainingJob single =
                JobBuilder.job(job(16, 1).model()).precision(Precision.FP32).build();
        assertThat(problems("ddp", single))
                .containsExactly("lora with precision fp32 is not modelled; write precision: bf16, bf16_pure or fp16");
        ShardingStrategy offloading = Strategies.of("zero3", Map.of("offload_optimizer", true));
        assertThat(offloading.problems(job(16, 1)))
                .extracting(Refusal::sentence)
                .containsExactly("lora with offload_optimizer or offload_parameters is not modelled; write false");
    }

    private static List<String> problems(String kind, TrainingJob job) {
        return Strategies.of(kind, Map.of()).problems(job).stream()
                .map(Refusal::sentence)
                .toList();
    }
}
