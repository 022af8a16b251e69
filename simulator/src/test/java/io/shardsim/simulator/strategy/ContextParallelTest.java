package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Segment;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Communication and memory of a context-parallel group, as in Ring Attention (arXiv:2310.01889) and TransformerEngine v1.11. */
class ContextParallelTest {
    private static final String KIND = "megatron-core";
    private static final ModelShape MODEL = ModelShape.gpt2(1024, 6, 16, 51200, 2048);
    private static final int MICRO_BATCHES = 3;
    private static final long LAYERS = (long) MODEL.layers() * MICRO_BATCHES;

    private static TrainingJob job(Map<String, Object> given, Checkpointing checkpointing, AttentionKind attention) {
        return JobBuilder.job(MODEL)
                .samples(2048, 2, MICRO_BATCHES)
                .checkpointing(checkpointing)
                .attention(attention)
                .parallel(Strategies.of(KIND, given).modelParallel())
                .build();
    }

    private static StepPlan plan(Map<String, Object> given, Checkpointing checkpointing) {
        return Strategies.of(KIND, given).plan(job(given, checkpointing, AttentionKind.FLASH));
    }

    private static Map<String, Object> context(int ranks) {
        return Map.of("context_parallel", ranks);
    }

    private static long keyValueBytes(int ranks) {
        return 2L * 2 * 1024 * 2 * (2048 / ranks);
    }

    /** In forward, keys and values move c - 1 places; in backward they return, and so do their gradients. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void keysAndValuesGoAroundOnceAndTheirGradientsComeBack(int ranks) {
        StepPlan plan = plan(context(ranks), Checkpointing.NONE);
        long forward = Strategies.bytes(plan, CollectiveKind.SEND_RECV, "pass keys and values on");
        long backward = Strategies.bytes(plan, CollectiveKind.SEND_RECV, "pass keys, values and gradients on");

        assertThat(forward).isEqualTo(LAYERS * (ranks - 1) * keyValueBytes(ranks));
        assertThat(backward).isEqualTo(2 * forward);
        assertThat(Strategies.count(plan, CollectiveKind.SEND_RECV, "pass keys and values on"))
                .isEqualTo(LAYERS * (ranks - 1));
        assertThat(Strategies.count(plan, CollectiveKind.SEND_RECV, "pass keys, values and gradients on"))
                .isEqualTo(LAYERS * ranks);
    }

    /** Full checkpointing runs attention again, selective checkpointing only attention; both need the other ranks' keys and values. */
    @ParameterizedTest
    @ValueSource(strings = {"FULL", "SELECTIVE"})
    void recomputationPassesKeysAndValuesOnAgain(String checkpointing) {
        StepPlan plan = plan(context(4), Checkpointing.valueOf(checkpointing));

        assertThat(Strategies.count(plan, CollectiveKind.SEND_RECV, "pass keys and values on"))
                .isEqualTo(2 * LAYERS * 3);
    }

    @Test
    void eachStepOfAttentionWaitsForTheExchangeBeforeItAndGoesBesideTheNext() {
        StepPlan plan = plan(context(4), Checkpointing.NONE);
        int first = 0;
        while (plan.operation(first).stream() != Stream.CONTEXT) {
            first++;
        }

        for (int step = 0; step < 4; step++) {
            int exchange = first + 2 * step;
            int attention = step < 3 ? exchange + 1 : exchange;
            assertThat(((Operation.Compute) plan.operation(attention))
                            .work()
                            .segment()
                            .pieces())
                    .extracting(Segment.Piece::portion)
                    .containsExactly(Segment.Portion.STEP);
            if (step > 0) {
                assertThat(plan.waitsFor(attention)).containsExactly(exchange - 2);
            }
        }
    }

    /** All ranks that share a sample hold the same parameters, so states are also sharded over them. */
    @Test
    void activationsAreDividedAndStatesAreNot() {
        MemoryLedger whole = MemoryLedger.of(plan(Map.of(), Checkpointing.NONE));
        MemoryLedger split = MemoryLedger.of(plan(context(4), Checkpointing.NONE));

        assertThat(split.atPeak().get(MemoryOwner.PARAMETERS))
                .isEqualTo(whole.atPeak().get(MemoryOwner.PARAMETERS));
        assertThat(split.atPeak().get(MemoryOwner.OPTIMIZER_STATES))
                .isEqualTo(whole.atPeak().get(MemoryOwner.OPTIMIZER_STATES));
        assertThat(4 * split.atPeak().get(MemoryOwner.ACTIVATIONS))
                .isEqualTo(whole.atPeak().get(MemoryOwner.ACTIVATIONS));
    }

    @Test
    void groupsLieBetweenTensorAndDataParallelOnes() {
        Map<String, Object> given = new HashMap<>(context(2));
        given.put("tensor_parallel", 4);
        StepPlan plan = plan(given, Checkpointing.NONE);

        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective && collective.stream() == Stream.CONTEXT) {
                assertThat(collective.groups().membersOf(9)).containsExactly(9, 13);
            }
        }
        assertThat(Strategies.bytes(plan, CollectiveKind.SEND_RECV, "pass keys and values on"))
                .isEqualTo(LAYERS * keyValueBytes(2) / 4);
    }

    @Test
    void saysWhatDoesNotGo() {
        assertThat(Strategies.of(KIND, context(3)).problems(job(context(3), Checkpointing.NONE, AttentionKind.FLASH)))
                .extracting(Refusal::sentence)
                .containsExactly(
                        "context_parallel 3 does not divide world size 16; nearest divisors: 2, 4",
                        "context_parallel 3 needs sequence_length 2048 to be a multiple of 6, twice "
                                + "context_parallel; nearest multiples: 2046, 2052");
        assertThat(Strategies.of(KIND, context(2))
                        .problems(job(context(2), Checkpointing.NONE, AttentionKind.STANDARD)))
                .extracting(Refusal::sentence)
                .containsExactly(
                        "context_parallel 2 needs attention flash, not standard; set it, or remove context_parallel");
    }
}
