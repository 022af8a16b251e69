package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.Operation.Collective;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes of Megatron-Core's dispatchers, on 16 GPUs in two nodes. */
class ExpertDispatcherTest {
    private static final int HIDDEN = 1024;
    private static final int SEQUENCE = 2048;
    private static final int LAYERS = 4;
    private static final ModelShape MODEL = new ModelShape(
            HIDDEN,
            LAYERS,
            Family.LLAMA,
            new Heads(16, 16, 64, false),
            2048,
            new MixtureOfExperts(new Experts(16, 4), 512, 0, 0, 1),
            new Embeddings(51200, false, 0));
    private static final long TOKENS_BYTES = 2L * SEQUENCE * HIDDEN;

    private static Map<String, Object> given(String dispatcher, int ranks) {
        return Map.of("expert_parallel", ranks, "expert_dispatcher", dispatcher);
    }

    private static TrainingJob job(Map<String, Object> given) {
        return JobBuilder.job(MODEL)
                .samples(SEQUENCE, 1, 1)
                .checkpointing(Checkpointing.NONE)
                .parallel(Strategies.of("megatron-core", given).modelParallel())
                .build();
    }

    private static StepPlan plan(String dispatcher, int ranks) {
        Map<String, Object> given = given(dispatcher, ranks);
        return Strategies.of("megatron-core", given).plan(job(given));
    }

    private static long bytes(StepPlan plan, String label) {
        return Strategies.bytes(plan, CollectiveKind.ALL_TO_ALL, label) / LAYERS;
    }

    /** Counts the places of every choice of experts. */
    @ParameterizedTest
    @CsvSource({"16, 4, 2", "16, 4, 16", "8, 2, 4", "12, 5, 3", "6, 6, 2", "9, 1, 3"})
    void distinctPlacesAreTheirMeanOverAllChoicesOfExperts(int experts, int perToken, int places) {
        double mean = IntStream.range(0, 1 << experts)
                .filter(choice -> Integer.bitCount(choice) == perToken)
                .mapToLong(choice -> IntStream.range(0, experts)
                        .filter(expert -> (choice >> expert & 1) == 1)
                        .map(expert -> expert / (experts / places))
                        .distinct()
                        .count())
                .average()
                .orElseThrow();
        assertThat(new Experts(experts, perToken).distinct(places)).isCloseTo(mean, within(1e-12));
    }

    /** 2 (1 - C(8, 4) / C(16, 4)) copies across nodes, 16 (1 - C(15, 4) / C(16, 4)) inside. */
    @Test
    void deepEpSendsOneCopyToANodeAndOneToARank() {
        StepPlan plan = plan("deepep", 16);
        assertThat((double) bytes(plan, "tokens to experts across nodes") / TOKENS_BYTES)
                .isCloseTo(2 * (1 - 70.0 / 1820), within(0.001));
        assertThat((double) bytes(plan, "tokens to experts inside nodes") / TOKENS_BYTES)
                .isCloseTo(16 * (1 - 1365.0 / 1820), within(0.001));
    }

    @Test
    void insideANodeDeepEpSendsOneCopyToARank() {
        StepPlan plan = plan("deepep", 8);
        assertThat(bytes(plan, "tokens to experts across nodes")).isZero();
        assertThat((double) bytes(plan, "gradients from experts") / TOKENS_BYTES)
                .isCloseTo(8 * (1 - 1001.0 / 1820), within(0.001));
    }

    /** Tokens are passed on inside the node while others arrive, so both transfers wait for the same operations. */
    @Test
    void bothTransfersRunAtTheSameTime() {
        StepPlan plan = plan("deepep", 16);
        int inside = IntStream.range(0, plan.size())
                .filter(at -> plan.operation(at).stream() == Stream.EXPERT_IN_NODE)
                .findFirst()
                .orElseThrow();
        assertThat(((Collective) plan.operation(inside - 1)).label()).isEqualTo("tokens to experts across nodes");
        assertThat(plan.waitsFor(inside)).isEqualTo(plan.waitsFor(inside - 1));
    }

    @Test
    void allGatherSendsAllTokensToAllRanks() {
        StepPlan plan = plan("allgather", 16);
        assertThat(Strategies.bytes(plan, CollectiveKind.ALL_GATHER, "tokens to experts"))
                .isEqualTo(LAYERS * 16 * TOKENS_BYTES);
        assertThat(Strategies.bytes(plan, CollectiveKind.REDUCE_SCATTER, "tokens from experts"))
                .isEqualTo(LAYERS * 16 * TOKENS_BYTES);
    }

    /** Each rank that splits an expert gets its own copy; the groups that DeepEP and the all-gather run over hold all experts once. */
    @Test
    void ranksThatSplitExpertsGetCopiesOfTheirOwn() {
        assertThat(bytes(split("deepep"), "tokens to experts inside nodes"))
                .isEqualTo(2 * bytes(plan("deepep", 8), "tokens to experts"));
        assertThat(bytes(split("deepep"), "tokens to experts across nodes"))
                .isEqualTo(bytes(plan("deepep", 16), "tokens to experts across nodes"));
        assertThat(Strategies.bytes(split("allgather"), CollectiveKind.ALL_GATHER, "tokens to experts"))
                .isEqualTo(LAYERS * 16 * TOKENS_BYTES);
    }

    private static StepPlan split(String dispatcher) {
        Map<String, Object> given =
                Map.of("expert_parallel", 8, "expert_tensor_parallel", 2, "expert_dispatcher", dispatcher);
        return Strategies.of("megatron-core", given).plan(job(given));
    }

    @Test
    void unknownNamesAndGroupsAcrossNodesAreRefused() {
        assertThat(Strategies.of("megatron-core", given("flex", 8)).problems(job(given("flex", 8))))
                .extracting(Refusal::sentence)
                .containsExactly("expert_dispatcher flex is not known; there are alltoall, allgather, deepep");
        Map<String, Object> three = Map.of("expert_parallel", 3, "expert_dispatcher", "deepep");
        assertThat(Strategies.of("megatron-core", three).modelParallel().problems(job(three)))
                .extracting(Refusal::sentence)
                .contains("expert_dispatcher deepep needs expert_parallel 3 to divide the 8 GPUs of a node, or to be"
                        + " a multiple; nearest divisors: 2, 4");
    }
}
