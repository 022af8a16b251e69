package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gathers, reductions and memory of FSDP2 with expert, context and pipeline parallelism, as combined by torchtitan. */
class Fsdp2ParallelTest {
    private static final String KIND = "fsdp2";
    private static final int RANKS = 16;
    private static final int HIDDEN = 1024;
    private static final int SEQUENCE = 2048;
    private static final int MICRO_BATCHES = 4;
    private static final int LAYERS = 8;
    private static final Experts EXPERTS = new Experts(16, 4);
    private static final ModelShape MODEL = model(false);
    private static final long OF_EXPERTS = 3L * HIDDEN * 512 * EXPERTS.number() * LAYERS;
    private static final long OTHERS = MODEL.parameters() - OF_EXPERTS;

    private static ModelShape model(boolean tied) {
        return new ModelShape(
                HIDDEN,
                LAYERS,
                Family.LLAMA,
                new Heads(16, 4, 64, false),
                2048,
                new MixtureOfExperts(EXPERTS, 512, 0, 0, 1),
                new Embeddings(51200, tied, 0));
    }

    private static TrainingJob job(ModelShape model, Map<String, Object> given) {
        return JobBuilder.job(model)
                .ranks(RANKS)
                .samples(SEQUENCE, 1, MICRO_BATCHES)
                .checkpointing(Checkpointing.NONE)
                .attention(AttentionKind.FLASH)
                .parallel(Strategies.of(KIND, given).modelParallel())
                .build();
    }

    private static StepPlan plan(Map<String, Object> given) {
        return Strategies.of(KIND, given).plan(job(MODEL, given));
    }

    private static List<String> sentences(ModelShape model, Map<String, Object> given) {
        return Strategies.of(KIND, given).problems(job(model, given)).stream()
                .map(Refusal::sentence)
                .toList();
    }

    /** Experts are sharded over the ranks with the same experts, the rest over all; each is gathered for forward and for backward. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 16})
    void expertsAreGatheredFromTheRanksThatHaveTheSame(int ranks) {
        StepPlan plan = plan(Map.of("expert_parallel", ranks));
        assertThat(Strategies.bytes(plan, CollectiveKind.REDUCE_SCATTER, "reduce-scatter experts"))
                .isEqualTo(ranks == RANKS ? 0 : 2 * OF_EXPERTS / ranks * MICRO_BATCHES);
        assertThat(Strategies.bytes(plan, CollectiveKind.ALL_GATHER, "gather experts"))
                .isEqualTo(ranks == RANKS ? 0 : 2 * 2 * OF_EXPERTS / ranks * MICRO_BATCHES);
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective
                    && collective.label().equals("gather experts")) {
                assertThat(collective.groups().size()).isEqualTo(RANKS / ranks);
                assertThat(collective.groups().stride()).isEqualTo(ranks);
            }
        }
    }

    /** 12 bytes per parameter wherever its shard is, so each rank holds the same as without expert parallelism. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void expertParallelismLeavesTheStatesOfARankAsTheyAre(int ranks) {
        MemoryLedger ledger = MemoryLedger.of(plan(Map.of("expert_parallel", ranks)));
        long shard = (OF_EXPERTS + OTHERS) / RANKS;
        assertThat(ledger.atPeak().get(MemoryOwner.PARAMETERS)).isBetween(4 * shard, 4 * shard + 4 * LAYERS * 2);
        assertThat(ledger.atPeak().get(MemoryOwner.OPTIMIZER_STATES))
                .isEqualTo(2 * ledger.atPeak().get(MemoryOwner.PARAMETERS));
    }

    @Test
    void oneExpertGroupIsAsNone() {
        assertThat(plan(Map.of("expert_parallel", 1))).isEqualTo(plan(Map.of()));
    }

    /** Keys and values of all heads are gathered once per pass; their gradients pass around the ring in FP32, including those of the last step. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void keysAndValuesAreGatheredAndTheirGradientsPassedOn(int ranks) {
        StepPlan plan = plan(Map.of("context_parallel", ranks));
        long passes = (long) LAYERS * MICRO_BATCHES;
        long keysAndValues = 2L * 2 * HIDDEN * SEQUENCE / ranks;
        assertThat(Strategies.bytes(plan, CollectiveKind.ALL_GATHER, "gather keys and values"))
                .isEqualTo(2 * passes * ranks * keysAndValues);
        assertThat(Strategies.bytes(plan, CollectiveKind.SEND_RECV, "pass gradients on"))
                .isEqualTo(passes * ranks * 2 * keysAndValues);
    }

    /** The ring carries the same keys, values and gradients; other frameworks pass those of the model's own heads in 16 bits. */
    @Test
    void keysAndValuesMayGoAroundARing() {
        long passes = (long) LAYERS * MICRO_BATCHES;
        long keysAndValues = 2L * 2 * HIDDEN * SEQUENCE / 4;
        StepPlan ring = plan(Map.of("context_parallel", 4, "gather_keys_values", false));
        assertThat(Strategies.bytes(ring, CollectiveKind.ALL_GATHER, "gather keys and values"))
                .isZero();
        assertThat(Strategies.bytes(ring, CollectiveKind.SEND_RECV, "pass keys and values on"))
                .isEqualTo(passes * 3 * keysAndValues);
        assertThat(Strategies.bytes(ring, CollectiveKind.SEND_RECV, "pass keys, values and gradients on"))
                .isEqualTo(passes * (3 + 4 * 2) * keysAndValues);

        StepPlan fused =
                plan(Map.of("context_parallel", 4, "gather_keys_values", false, "context_sums_in_fp32", false));
        assertThat(4 * Strategies.bytes(fused, CollectiveKind.SEND_RECV, "pass keys, values and gradients on"))
                .isEqualTo(passes * 2 * 3 * keysAndValues);
    }

    /** For any number of micro-batches, each stage gathers and reduces its parameters once. */
    @ParameterizedTest
    @ValueSource(strings = {"1f1b", "interleaved", "simple"})
    void aPipelineGathersAndReducesOnce(String schedule) {
        int chunks = schedule.equals("interleaved") ? 2 : 1;
        StepPlan plan = plan(Map.of(
                "pipeline_parallel", 4, "pipeline_schedule", schedule, "model_chunks", chunks, "expert_parallel", 2));
        assertThat(Strategies.bytes(plan, CollectiveKind.ALL_GATHER, "gather layer"))
                .isEqualTo(2 * OTHERS);
        assertThat(Strategies.bytes(plan, CollectiveKind.ALL_GATHER, "gather experts"))
                .isEqualTo(2 * OF_EXPERTS / 2);
        assertThat(Strategies.bytes(plan, CollectiveKind.REDUCE_SCATTER, "reduce-scatter"))
                .isEqualTo(2 * (OTHERS + OF_EXPERTS / 2));
    }

    /** Each rank of a stage holds the stage's whole parameters and gradients while it works, in addition to its shards of the states. */
    @Test
    void aStageHoldsItsParametersAndGradientsWhole() {
        StepPlan plan = plan(Map.of("pipeline_parallel", 4, "reduce_in_fp32", true));
        List<Long> shards = new ArrayList<>();
        long gathered = 0;
        for (int stage = 0; stage < 4; stage++) {
            MemoryLedger ledger = MemoryLedger.of(plan, stage);
            long whole = ledger.atPeak().get(MemoryOwner.GATHERED_UNITS) / 2;
            gathered += whole;
            assertThat(ledger.atPeak().get(MemoryOwner.GRADIENTS)).isBetween(4 * whole, 5 * whole);
            shards.add(ledger.atPeak().get(MemoryOwner.PARAMETERS) / 4);
        }
        assertThat(gathered).isEqualTo(MODEL.parameters());
        assertThat(shards.stream().mapToLong(shard -> 4 * shard).sum()).isEqualTo(MODEL.parameters());
    }

    @Test
    void whatPyTorchDoesNotCombineIsRefused() {
        assertThat(sentences(MODEL, Map.of("expert_parallel", 8, "shard_group", 4)))
                .containsExactly("expert_parallel 8 does not divide the 4 ranks of a shard group; nearest divisor: 4");
        assertThat(sentences(MODEL, Map.of("expert_parallel", 2, "tensor_parallel", 2)))
                .containsExactly(
                        "tensor_parallel 2 needs sequence_parallel true with experts, not false; set it, or remove"
                                + " tensor_parallel");
        assertThat(sentences(model(true), Map.of("pipeline_parallel", 2)))
                .containsExactly("pipeline_parallel 2 needs untied embeddings, as PyTorch does not reduce the "
                        + "tied gradient across stages; write 1, or another strategy");
    }
}
