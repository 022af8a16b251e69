package io.shardsim.simulator.strategy;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_REDUCE;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_TO_ALL;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.ModelShape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Communication volumes and states of the family, by the formulas of their papers. Psi is the number of parameters, N the number of ranks. */
class DataParallelFamilyTest {
    private static final ModelShape MODEL = ModelShape.gpt2(2048, 24, 16, 50257, 1024);
    private static final double PSI = MODEL.parameters();
    private static final int RANKS = 64;
    private static final TrainingJob JOB = Strategies.job(MODEL, RANKS, 1024, 2, 2);

    private static StepPlan plan(String kind, Map<String, ?> given) {
        return Strategies.of(kind, given).plan(JOB);
    }

    /**
     * ZeRO paper, figure 1: 16 Psi; 4 Psi + 12 Psi / N; 2 Psi + 14 Psi / N; 16 Psi / N bytes. Hybrid shard and MiCS divide by the shard group instead
     * of N (arXiv:2304.11277, section 3.2.2; arXiv:2205.00119, section 3.2), a node of 8 here. ZeRO++ keeps a second copy of the weights in each
     * node, 2 Psi / 8 (its section 3.2).
     */
    @ParameterizedTest
    @CsvSource({
        "ddp, 18, 0, 64",
        "smddp, 18, 0, 64",
        "horovod, 18, 0, 64",
        "mirrored, 18, 0, 64",
        "parameter-server, 10, 0, 64",
        "megatron, 20, 0, 64",
        "megatron-core, 6, 12, 64",
        "zero1, 4, 12, 64",
        "zero2, 2, 14, 64",
        "zero3, 0, 16, 64",
        "zero3-0.11, 0, 16, 64",
        "zeropp, 0.25, 16, 64",
        "fsdp, 0, 16, 64",
        "fsdp-grad-op, 0, 16, 64",
        "fsdp-hybrid, 0, 16, 8",
        "fsdp2, 0, 16, 64",
        "mics, 0, 16, 8"
    })
    void modelStatesFollowThePaper(String kind, double replicated, double sharded, int group) {
        StepPlan plan = plan(kind, nothingPersists(kind));
        Map<MemoryOwner, Long> held = MemoryLedger.of(plan).atPeak();
        // Gradients may exist only for a part of the step.
        double states = held.get(MemoryOwner.PARAMETERS)
                + held.getOrDefault(MemoryOwner.OPTIMIZER_STATES, 0L)
                + MemoryLedger.peakBytes(plan.memoryChanges(), Set.of(MemoryOwner.GRADIENTS), StepPlan.EVERY_STAGE);
        // With autocast, DDP keeps its 16-bit casts (2 bytes) in addition to the 16; Megatron-LM keeps FP32 gradients
        // (4 bytes) in addition to 16-bit
        // ones (docs/distrib_optimizer.md: 20 bytes per parameter).
        assertThat(states).isCloseTo(replicated * PSI + sharded * PSI / group, within(0.001 * PSI));
    }

    private static Map<String, Object> nothingPersists(String kind) {
        Map<String, Object> given = new HashMap<>();
        if (Set.of("zero3", "zero3-0.11", "zeropp", "mics").contains(kind)) {
            given.put("param_persistence_threshold", 0);
        }
        return given;
    }

    /** Every kind in the catalog has a row above, so a new one needs its formula. */
    @Test
    void noStrategyIsLeftOut() throws NoSuchMethodException {
        CsvSource rows = DataParallelFamilyTest.class
                .getDeclaredMethod("modelStatesFollowThePaper", String.class, double.class, double.class, int.class)
                .getAnnotation(CsvSource.class);
        assertThat(Stream.of(rows.value()).map(row -> row.substring(0, row.indexOf(','))))
                .containsExactlyInAnyOrderElementsOf(StrategyCatalog.load().kinds());
    }

    /**
     * Number of reductions in a step of two micro-batches, and their total volume in Psi elements. DDP and SMDDP reduce once per step, in buckets,
     * Horovod in fusion buffers, the last of which is not full in each of the 49 cycles; Megatron-LM once per step, one reduction per data type; ZeRO-1 once and ZeRO-2 in each micro-batch, in buckets of 500 million; ZeRO-3 likewise;
     * FSDP each of its units in each micro-batch.
     */
    @ParameterizedTest
    @CsvSource({
        "ddp, ALL_REDUCE, 48, 96, 1",
        "smddp, ALL_REDUCE, 48, 96, 1",
        "horovod, ALL_REDUCE, 98, 147, 1",
        "mirrored, ALL_REDUCE, 1, 1, 1",
        "megatron, ALL_REDUCE, 1, 1, 1",
        "megatron-core, REDUCE_SCATTER, 1, 1, 1",
        "zero1, REDUCE_SCATTER, 3, 3, 1",
        "zero2, REDUCE_SCATTER, 6, 6, 2",
        "zero3, REDUCE_SCATTER, 6, 8, 2",
        "mics, REDUCE_SCATTER, 6, 8, 2",
        "fsdp, REDUCE_SCATTER, 50, 50, 2",
        "fsdp-grad-op, REDUCE_SCATTER, 50, 50, 2",
        "fsdp-hybrid, REDUCE_SCATTER, 50, 50, 2",
        "fsdp2, REDUCE_SCATTER, 50, 50, 2"
    })
    void reductionsAreAsManyAndAsLargeAsTheSystemSays(
            String kind, CollectiveKind reduction, int least, int most, double models) {
        StepPlan plan = plan(kind, Map.of());
        long count = 0;
        double elements = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective
                    && collective.kind() == reduction
                    && collective.totalBytes() > 4
                    && !collective.label().contains("among replicas")) {
                count++;
                elements += collective.totalBytes() / bytesOfAGradient(kind);
            }
        }
        assertThat(count).isBetween((long) least, (long) most);
        assertThat(elements / PSI).isCloseTo(models, within(0.002));
    }

    /** DDP with autocast reduces the FP32 gradients of its FP32 parameters, Megatron-Core those that it accumulates in FP32. */
    private static double bytesOfAGradient(String kind) {
        return Set.of("ddp", "smddp", "horovod", "mirrored").contains(kind) || kind.equals("megatron-core") ? 4 : 2;
    }

    /** FSDP gathers each layer twice per micro-batch, shard-grad-op once; hybrid gathers as often, and also all-reduces each unit among replicas. */
    @ParameterizedTest
    @CsvSource({"fsdp, 2, 0", "fsdp-grad-op, 1, 0", "fsdp-hybrid, 2, 25", "fsdp2, 2, 0"})
    void gathersAreAsManyAsTheSystemSays(String kind, int ofALayer, int amongReplicas) {
        StepPlan plan = plan(kind, Map.of());
        int microBatches = JOB.accumulationSteps();
        assertThat(Strategies.count(plan, ALL_GATHER, "layer"))
                .isEqualTo((long) microBatches * ofALayer * MODEL.layers());
        assertThat(Strategies.count(plan, ALL_REDUCE, "among replicas")).isEqualTo((long) microBatches * amongReplicas);
    }

    /** Bytes moved per micro-batch, in units of a 16-bit model; an all-reduce moves its buffer twice. */
    @ParameterizedTest
    @CsvSource({"zero2, 1, 0.5", "fsdp, 1, 2", "fsdp-grad-op, 1, 1", "fsdp2, 1, 2", "zero3, 1, 2"})
    void volumesFollowThePaper(String kind, double reduced, double gathered) {
        // With DeepSpeed's defaults, most of a model of this size would stay gathered from forward to backward.
        StepPlan plan = plan(
                kind,
                kind.equals("zero3")
                        ? Map.of("max_reuse_distance", 100_000_000, "max_live_parameters", 100_000_000)
                        : Map.of());
        double microBatches = JOB.accumulationSteps();
        assertThat(Strategies.bytes(plan, REDUCE_SCATTER, "") / (2 * PSI) / microBatches)
                .isCloseTo(reduced, within(0.001));
        // ZeRO-2 gathers once per step; embeddings and the last layers are gathered slightly more or less often than
        // the others.
        assertThat(Strategies.bytes(plan, ALL_GATHER, "") / (2 * PSI) / microBatches)
                .isCloseTo(gathered, within(0.15));
    }

    @Test
    void ddpReducesOnceAStepUnlessToldOtherwise() {
        double once = Strategies.bytes(plan("ddp", Map.of()), ALL_REDUCE, "bucket");
        double always = Strategies.bytes(plan("ddp", Map.of("sync_every_micro_batch", true)), ALL_REDUCE, "bucket");
        assertThat(once).isEqualTo(4 * PSI);
        assertThat(always).isEqualTo(2 * 4 * PSI);
    }

    @Test
    void ddpBucketsCloseWhenTheyReachTheirSize() {
        StepPlan plan = plan("ddp", Map.of());
        int buckets = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective reduce) {
                assertThat(reduce.totalBytes()).isGreaterThanOrEqualTo(buckets == 0 ? 1 << 20 : 1);
                buckets++;
            }
        }
        // Attention in (50 MB), attention out (17 MB) with FFN tensors (67 MB each): at most three buckets per layer.
        assertThat(buckets).isBetween(2 * MODEL.layers(), 4 * MODEL.layers());
    }

    @Test
    void stageOneReducesInTheLastMicroBatchOnlyAndStageTwoInEach() {
        double one = Strategies.bytes(plan("zero1", Map.of()), REDUCE_SCATTER, "");
        double two = Strategies.bytes(plan("zero2", Map.of()), REDUCE_SCATTER, "");
        assertThat(two).isCloseTo(2 * one, within(0.001 * two));
        double gathered = Strategies.bytes(plan("zero1", Map.of()), ALL_GATHER, "updated");
        assertThat(gathered).isCloseTo(2 * PSI, within(2000.0));
    }

    /** deepspeed/runtime/zero/stage_1_and_2.py, v0.12.4, allreduce_and_scatter: as many elements, each to all ranks. */
    @Test
    void sinceTheEndOf2023TheFirstTwoStagesMayAllReduceTheirBuckets() {
        Map<String, Boolean> wholly = Map.of("use_multi_rank_bucket_allreduce", true);
        for (String kind : List.of("zero1", "zero2")) {
            long toOwners = Strategies.bytes(plan(kind, Map.of()), REDUCE_SCATTER, "bucket");
            assertThat(Strategies.bytes(plan(kind, wholly), ALL_REDUCE, "bucket"))
                    .isEqualTo(toOwners);
            assertThat(Strategies.bytes(plan(kind, wholly), REDUCE_SCATTER, "")).isZero();
            assertThat(Strategies.moved(plan(kind, wholly), "flatten bucket")).isEqualTo(2 * toOwners);
            assertThat(Strategies.moved(plan(kind, wholly), "keep own parts")).isEqualTo(2 * toOwners / RANKS);
        }
    }

    /** Aleph-Alpha/scaling, src/scaling/core/optimizer/allreduce.py: cast, all-reduced over all replicas, cast back; 8 bytes of a parameter. */
    @Test
    void gradientsReducedInFp32MoveTwiceTheBytes() {
        for (String kind : List.of("zero1", "zero2")) {
            for (boolean wholly : List.of(false, true)) {
                Map<String, Boolean> halves = Map.of("use_multi_rank_bucket_allreduce", wholly);
                Map<String, Boolean> single = Map.of("use_multi_rank_bucket_allreduce", wholly, "reduce_in_fp32", true);
                CollectiveKind collective = wholly ? ALL_REDUCE : REDUCE_SCATTER;
                long sent = Strategies.bytes(plan(kind, halves), collective, "bucket");
                assertThat(Strategies.bytes(plan(kind, single), collective, "bucket"))
                        .isEqualTo(2 * sent);
                assertThat(Strategies.moved(plan(kind, halves), "cast gradients"))
                        .isZero();
                assertThat(Strategies.moved(plan(kind, single), "cast gradients"))
                        .isEqualTo(3 * sent + 3 * (wholly ? sent : sent / RANKS));
            }
        }
    }

    @Test
    void gradientsReducedAfterBackwardWaitForTheEmbedding() {
        Map<String, Boolean> overlapped = Map.of("overlap_comm", true);
        Map<String, Boolean> afterwards = Map.of("overlap_comm", true, "reduce_after_backward", true);
        assertThat(backwardsAfterTheFirstReduction(plan("zero1", overlapped))).isPositive();
        assertThat(backwardsAfterTheFirstReduction(plan("zero1", afterwards))).isZero();
    }

    private static long backwardsAfterTheFirstReduction(StepPlan plan) {
        int first = IntStream.range(0, plan.size())
                .filter(i -> plan.operation(i).label().equals("reduce bucket to owners"))
                .findFirst()
                .orElseThrow();
        return IntStream.range(first, plan.size())
                .filter(i -> plan.operation(i).label().contains("backward"))
                .count();
    }

    /** FSDP paper, section 3.2.2: with shards inside a node, 1 / 8 of the gradients crosses nodes. */
    @Test
    void hybridShardsInANodeAndAllReducesShardsAmongNodes() {
        ShardingStrategy hybrid = Strategies.of("fsdp-hybrid", Map.of());
        assertThat(hybrid.shardGroups(JOB).size()).isEqualTo(8);
        double across = Strategies.bytes(hybrid.plan(JOB), ALL_REDUCE, "among replicas");
        assertThat(across).isCloseTo(JOB.accumulationSteps() * 2 * PSI / 8, within(0.001 * PSI));
    }

    /** ZeRO++ paper, table 1: between nodes 0.5 M in forward, nothing in backward, 0.25 M of gradients. */
    @Test
    void zeroPlusPlusMovesAQuarterBetweenNodes() {
        StepPlan plan = Strategies.of("zeropp", Map.of("param_persistence_threshold", 0))
                .plan(JOB);
        double model = 2 * PSI;
        double exchangedAcross = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective
                    && collective.groups().stride() == 8
                    && collective.kind() == ALL_TO_ALL) {
                // Every GPU of a node sends its own buffer.
                exchangedAcross += 8 * collective.totalBytes();
            }
        }
        assertThat(gatheredFromAll(plan) / JOB.accumulationSteps() / model).isCloseTo(0.5, within(0.06));
        assertThat(exchangedAcross / JOB.accumulationSteps() / model).isCloseTo(0.25, within(0.01));
    }

    /**
     * Before DeepSpeed 0.13.2, the hooks of a recomputation gather from all ranks: nothing if backward hooks have already prefetched the whole layer,
     * most of a layer that is larger than the live-parameter limit.
     */
    @ParameterizedTest
    @CsvSource({"1000000000, 1.0, 1.0", "30000000, 1.2, 2.0"})
    void recomputationsOnceGatheredFromAllRanks(long maxLive, double atLeast, double atMost) {
        Map<String, Object> settings =
                new HashMap<>(Map.of("max_live_parameters", maxLive, "max_reuse_distance", maxLive));
        double since = gatheredFromAll(plan("zeropp", settings));
        settings.put("secondary_in_recomputation", false);
        double before = gatheredFromAll(plan("zeropp", settings));
        assertThat(before / since).isBetween(atLeast, atMost);
    }

    private static double gatheredFromAll(StepPlan plan) {
        return IntStream.range(0, plan.size())
                .mapToObj(plan::operation)
                .filter(operation -> operation instanceof Operation.Collective collective
                        && collective.kind() == ALL_GATHER
                        && collective.groups().size() == RANKS)
                .mapToLong(operation -> ((Operation.Collective) operation).totalBytes())
                .sum();
    }

    @Test
    void zeroPlusPlusWithEverySwitchOffMovesWhatZeroThreeMoves() {
        StepPlan plain = plan("zero3", Map.of());
        StepPlan off = plan(
                "zeropp",
                Map.of("quantized_weights", false, "secondary_shard_group", false, "quantized_gradients", false));
        assertThat(Strategies.bytes(off, ALL_GATHER, "")).isEqualTo(Strategies.bytes(plain, ALL_GATHER, ""));
        assertThat(Strategies.bytes(off, REDUCE_SCATTER, "")).isEqualTo(Strategies.bytes(plain, REDUCE_SCATTER, ""));
    }
}
