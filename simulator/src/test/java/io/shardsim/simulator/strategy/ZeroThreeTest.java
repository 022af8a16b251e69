package io.shardsim.simulator.strategy;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ZeroThreeTest {
    private static final ModelShape GPT_30B = ModelShape.gpt2(7168, 48, 64, 50257, 2048);
    private static final ModelShape LLAMA_7B = ModelShape.llama(4096, 32, 32, 11008, 32000, 32);

    /** Settings with which each tensor is gathered for each use, like a list of operations without a coordinator. */
    private static final Map<String, Object> EACH_USE = Map.of(
            "param_persistence_threshold", 0,
            "prefetch_bucket_size", 0,
            "max_reuse_distance", 0,
            "reduce_bucket_size", 1_000_000_000);

    private static StepPlan llama() {
        TrainingJob job = JobBuilder.job(LLAMA_7B)
                .ranks(128)
                .samples(2048, 1, 1)
                .checkpointing(Checkpointing.NONE)
                .dropout(false)
                .kernels("eager")
                .build();
        return Strategies.of("zero3", EACH_USE).plan(job);
    }

    /** Volumes of the operation list that aliyun/aicb generates for Llama-7B on 128 ranks: three times 13.477 GB. */
    @Test
    void llamaGathersAll291TensorsForwardAndBackwardAndReducesThemInSevenBuckets() {
        StepPlan plan = llama();
        int forwardDone = indexOf(plan, "forward head");
        List<Long> forward = gathers(plan, 0, forwardDone);
        List<Long> backward = gathers(plan, forwardDone, plan.size());
        assertThat(forward).hasSize(291);
        assertThat(backward).hasSize(291);
        assertThat(sum(forward) / 1e9).isCloseTo(13.477, within(0.001));
        assertThat(sum(backward) / 1e9).isCloseTo(13.477, within(0.001));
        assertThat(Strategies.count(plan, REDUCE_SCATTER, "")).isEqualTo(6 + 1);
        assertThat(Strategies.bytes(plan, REDUCE_SCATTER, "") / 1e9).isCloseTo(13.477, within(0.001));
    }

    /** A layer of Hugging Face's Llama has 14 modules (transformers 4.34, models/llama/modeling_llama.py). */
    @Test
    void theHostRunsTheHooksOfEveryModuleForwardAndBackward() {
        StepPlan plan = llama();
        long layers = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Compute compute
                    && compute.work().kind() == Work.Kind.HOST_TIME
                    && compute.work().amount() == 14 * 440_000_000L) {
                layers++;
            }
        }
        assertThat(layers).isEqualTo(2 * 32);
    }

    private static double sum(List<Long> bytes) {
        return bytes.stream().mapToLong(Long::longValue).sum();
    }

    private static List<Long> gathers(StepPlan plan, int from, int to) {
        List<Long> bytes = new ArrayList<>();
        for (int i = from; i < to; i++) {
            if (plan.operation(i) instanceof Operation.Collective gather && gather.kind() == ALL_GATHER) {
                bytes.add(gather.totalBytes());
            }
        }
        return bytes;
    }

    private static int indexOf(StepPlan plan, String label) {
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i).label().equals(label)) {
                return i;
            }
        }
        throw new AssertionError("no operation " + label);
    }

    @Test
    void movesThreeModelSizesInEachMicroBatch() {
        TrainingJob once = Strategies.job(GPT_30B, 256, 2048, 3, 1);
        TrainingJob twice = Strategies.job(GPT_30B, 256, 2048, 3, 2);
        ShardingStrategy strategy = Strategies.of("zero3", Map.of());
        long model = 2 * GPT_30B.parameters();
        long embedding = 2 * GPT_30B.embeddingParameters();
        long gathered = Strategies.bytes(strategy.plan(twice), ALL_GATHER, "parameters")
                - Strategies.bytes(strategy.plan(once), ALL_GATHER, "parameters");
        long reduced = Strategies.bytes(strategy.plan(twice), REDUCE_SCATTER, "")
                - Strategies.bytes(strategy.plan(once), REDUCE_SCATTER, "");
        assertThat(reduced).isBetween(model, model + 1_000_000);
        // The last layer and the tied head stay gathered between forward and backward; the embedding's backward gathers
        // it once more.
        assertThat(gathered).isBetween(2 * model - 2 * 2 * GPT_30B.layerParameters(0), 2 * model + 2 * embedding);
    }

    @Test
    void bucketsCutAcrossLayersInAPatternOfThreeBucketsEveryTwoLayers() {
        StepPlan plan = Strategies.of("zero3", Map.of()).plan(Strategies.job(GPT_30B, 256, 2048, 6, 1));
        List<Long> buckets = new ArrayList<>();
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective reduce && reduce.kind() == REDUCE_SCATTER) {
                assertThat(reduce.totalBytes()).isLessThanOrEqualTo(2 * 500_000_000L + 2 * 256 * 20);
                buckets.add(reduce.totalBytes());
            }
        }
        assertThat(buckets).hasSize(48 / 2 * 3 + 1);
        // The last two hold the embeddings.
        for (int i = 3; i + 3 < buckets.size() - 2; i++) {
            assertThat(buckets.get(i + 3)).isEqualTo(buckets.get(i));
        }
        assertThat(buckets.get(3) + buckets.get(4) + buckets.get(5))
                .isBetween(2 * 2 * GPT_30B.layerParameters(0), 2 * 2 * GPT_30B.layerParameters(0) + 24 * 2 * 256);
    }

    @Test
    void liveParametersStayWithinTheLimitAndWhatTheHostRunsAhead() {
        StepPlan plan = Strategies.of("zero3", Map.of()).plan(Strategies.job(GPT_30B, 256, 2048, 6, 1));
        long held = 0;
        long most = 0;
        for (StepPlan.MemoryChange change : plan.memoryChanges()) {
            if (change.owner() == MemoryOwner.GATHERED_UNITS) {
                held += change.bytes();
                most = Math.max(most, held);
            }
        }
        assertThat(held).isZero();
        long largestTensor = 2L * 7168 * 4 * 7168;
        assertThat(most).isLessThan(2 * 1_000_000_000L + largestTensor + 2 * 2 * GPT_30B.layerParameters(0));
    }

    /** Rajbhandari et al., figure 1: (2 + 2 + 12) Psi / N bytes of model states in mixed precision with Adam. */
    @Test
    void modelStatesTakeSixteenBytesAParameterOverAllRanks() {
        Map<MemoryOwner, Long> held = MemoryLedger.of(Strategies.of("zero3", Map.of("param_persistence_threshold", 0))
                        .plan(Strategies.job(GPT_30B, 256, 2048, 6, 1)))
                .atPeak();
        long states = held.get(MemoryOwner.PARAMETERS)
                + held.get(MemoryOwner.GRADIENTS)
                + held.get(MemoryOwner.OPTIMIZER_STATES);
        assertThat((double) states).isCloseTo(16.0 * GPT_30B.parameters() / 256, within(16.0 * 48 * 16));
    }

    @Test
    void gathersAndReductionsFollowEachOtherInOrderOfIssue() {
        StepPlan plan = Strategies.of("zero3", Map.of()).plan(Strategies.job(GPT_30B, 256, 2048, 6, 1));
        int lastReduce = -1;
        int checked = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective) {
                if (collective.kind() == REDUCE_SCATTER) {
                    lastReduce = i;
                } else if (collective.label().equals("prefetch parameters") && lastReduce >= 0) {
                    assertThat(plan.waitsFor(i)).contains(lastReduce);
                    checked++;
                }
            }
        }
        assertThat(checked).isGreaterThan(100);
    }
}
