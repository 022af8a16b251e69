package io.shardsim.simulator.strategy;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.workload.ModelShape;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The distributed optimizer, by its documentation and source code. Psi is the number of parameters, N the number of data-parallel ranks. */
class MegatronCoreTest {
    private static final ModelShape MODEL = ModelShape.gpt2(2048, 8, 16, 50257, 1024);
    private static final long PSI = MODEL.parameters();
    private static final int RANKS = 16;

    /** No overlap, overlapped reductions only, overlap of both. */
    private static Map<String, Object> overlaps(int many) {
        Map<String, Object> given = new HashMap<>();
        if (many > 0) {
            given.put("overlap_grad_reduce", true);
        }
        if (many > 1) {
            given.put("overlap_param_gather", true);
        }
        return given;
    }

    private static TrainingJob job(Map<String, Object> given, int microBatches) {
        return JobBuilder.job(MODEL)
                .ranks(RANKS)
                .samples(512, 2, microBatches)
                .parallel(Strategies.of("megatron-core", given).modelParallel())
                .build();
    }

    private static StepPlan plan(Map<String, Object> given, int microBatches) {
        ShardingStrategy strategy = Strategies.of("megatron-core", given);
        assertThat(strategy.problems(job(given, microBatches))).isEmpty();
        return strategy.plan(job(given, microBatches));
    }

    /** Reduced: 4 Psi in FP32 or 2 Psi in 16 bits; gathered: 2 Psi; once per step, with or without overlap. */
    @ParameterizedTest
    @CsvSource({"0, 1", "0, 4", "1, 1", "1, 4", "2, 1", "2, 4"})
    void movesTheModelOnceAStep(int overlaps, int microBatches) {
        Map<String, Object> given = overlaps(overlaps);
        given.put("bucket_size", 30_000_000);
        StepPlan plan = plan(given, microBatches);
        assertThat(Strategies.bytes(plan, REDUCE_SCATTER, "")).isCloseTo(4 * PSI, within(8000L));
        assertThat(Strategies.bytes(plan, ALL_GATHER, "")).isCloseTo(2 * PSI, within(4000L));
        given.put("gradients_in_fp32", false);
        assertThat(Strategies.bytes(plan(given, microBatches), REDUCE_SCATTER, ""))
                .isCloseTo(2 * PSI, within(4000L));
    }

    /** docs/user-guide/features/dist_optimizer.md: 6 + 12 / d with FP32 gradients, 4 + 16 / d without. */
    @ParameterizedTest
    @CsvSource({"true, 6, 12", "false, 4, 16"})
    void statesFollowTheDocumentation(boolean inFp32, int replicated, int sharded) {
        for (int overlaps = 0; overlaps <= 2; overlaps++) {
            Map<String, Object> given = overlaps(overlaps);
            given.put("gradients_in_fp32", inFp32);
            long states = MemoryLedger.peakBytes(
                    plan(given, 2).memoryChanges(),
                    Set.of(MemoryOwner.PARAMETERS, MemoryOwner.GRADIENTS, MemoryOwner.OPTIMIZER_STATES),
                    0);
            assertThat(states).isCloseTo(replicated * PSI + sharded * PSI / RANKS, within(1000L));
        }
    }

    /**
     * A gradient is written and read, and its sum read and written; with fusion only the sum is read and written, which saves two passes over the
     * gradient.
     */
    @ParameterizedTest
    @CsvSource({"true, 4", "false, 2"})
    void productsThatAddUpGradientsSpareTheirReadingAndWriting(boolean inFp32, int sumBytes) {
        long apart = Strategies.moved(
                plan(Map.of("gradients_in_fp32", inFp32, "gradient_accumulation_fusion", false), 3), "accumulate");
        long fused = Strategies.moved(plan(Map.of("gradients_in_fp32", inFp32), 3), "accumulate");
        assertThat(apart).isEqualTo(3 * PSI * (2 + 2 * sumBytes));
        assertThat(apart - fused).isEqualTo(3 * PSI * (2 + 2));
    }

    @Test
    void withoutOverlapTheReductionFollowsTheLastBackwardAndTheGatherTheUpdate() {
        StepPlan plan = plan(overlaps(0), 2);
        int reduction = collectives(plan, REDUCE_SCATTER).get(0);
        int gather = collectives(plan, ALL_GATHER).get(0);
        int lastBackward = last(plan, Work.Kind.EMBEDDING_BACKWARD);
        int update = last(plan, Work.Kind.OPTIMIZER_STEP);
        assertThat(collectives(plan, REDUCE_SCATTER)).hasSize(1);
        assertThat(before(plan, reduction)).contains(lastBackward);
        assertThat(before(plan, update)).contains(reduction);
        assertThat(before(plan, gather)).contains(update);
        assertThat(gather).isEqualTo(plan.size() - 1);
    }

    /** A bucket closes with the tensor that fills it: all but the last hold 40 million parameters, or a million per rank, or the given size. */
    @ParameterizedTest
    @CsvSource({"0, 40000000", "12000000, 12000000", "1000000, 1000000"})
    void bucketsCloseWhenTheyAreFull(long asked, long least) {
        Map<String, Object> given = overlaps(1);
        given.put("bucket_size", asked);
        StepPlan plan = plan(given, 2);
        List<Long> elements = collectives(plan, REDUCE_SCATTER).stream()
                .map(at -> bytes(plan, at) / 4)
                .toList();
        assertThat(elements).hasSizeGreaterThan(2);
        assertThat(elements.subList(0, elements.size() - 1))
                .allSatisfy(bucket -> assertThat(bucket).isGreaterThanOrEqualTo(least));
        assertThat(collectives(plan, REDUCE_SCATTER).get(0)).isLessThan(last(plan, Work.Kind.LAYER_BACKWARD));
    }

    @Test
    void bucketsGrowWithTheDataParallelRanks() {
        TrainingJob large = JobBuilder.like(job(Map.of(), 1)).ranks(128).build();
        StepPlan plan = Strategies.of("megatron-core", overlaps(1)).plan(large);
        assertThat(bytes(plan, collectives(plan, REDUCE_SCATTER).get(0)) / 4).isGreaterThanOrEqualTo(128_000_000L);
    }

    /**
     * A layer's first forward waits for the buckets that contain its parameters; of those that only later layers need, it waits at most for the next.
     */
    @Test
    void layersWaitForTheirOwnBuckets() {
        Map<String, Object> given = overlaps(2);
        given.put("bucket_size", 20_000_000);
        StepPlan plan = plan(given, 2);
        List<Integer> gathers = collectives(plan, ALL_GATHER);
        assertThat(gathers).hasSizeGreaterThan(MODEL.layers());
        assertThat(plan.operation(0).stream()).isEqualTo(Stream.GATHER);

        long embedding = job(given, 2).embeddingParameters();
        List<Integer> forwards = all(plan, Work.Kind.LAYER_FORWARD);
        for (int layer = 0; layer < 2 * MODEL.layers(); layer++) {
            Set<Integer> before = before(plan, forwards.get(layer));
            long arrived = gathers.stream()
                    .filter(before::contains)
                    .mapToLong(at -> bytes(plan, at) / 2)
                    .sum();
            long needed = embedding + Math.min(layer + 1, MODEL.layers()) * MODEL.layerParameters(0, 1);
            assertThat(arrived).isGreaterThanOrEqualTo(needed);
            if (layer < MODEL.layers() - 3) {
                // A bucket holds a layer, and less than another layer's tensors.
                assertThat(arrived).isLessThan(needed + 2 * MODEL.layerParameters(0, 1));
            }
        }
        assertThat(last(plan, Work.Kind.OPTIMIZER_STEP)).isGreaterThan(gathers.get(gathers.size() - 1));
    }

    /** Only the first stage has several buckets; the last one's copy of the tied embedding is also reduced and gathered. */
    @ParameterizedTest
    @CsvSource({"0", "1", "2"})
    void everyStageMovesItsPart(int overlaps) {
        Map<String, Object> given = overlaps(overlaps);
        given.put("pipeline_parallel", 2);
        given.put("bucket_size", 20_000_000);
        StepPlan plan = plan(given, 4);
        long first = MODEL.layerParameters(0, 1) * 4 + MODEL.embeddingParameters(1);
        long last = PSI - first + 50257L * 2048;
        assertThat(ofStage(plan, REDUCE_SCATTER, 0)).isCloseTo(4 * first, within(4000L));
        assertThat(ofStage(plan, REDUCE_SCATTER, 1)).isCloseTo(4 * last, within(4000L));
        assertThat(ofStage(plan, ALL_GATHER, 0)).isCloseTo(2 * first, within(4000L));
        assertThat(ofStage(plan, ALL_GATHER, 1)).isCloseTo(2 * last, within(4000L));
        assertThat(collectives(plan, REDUCE_SCATTER).stream().filter(at -> plan.runsOn(at, 1)))
                .hasSize(1);
        assertThat(collectives(plan, REDUCE_SCATTER).stream().filter(at -> plan.runsOn(at, 0)))
                .hasSizeBetween(overlaps > 0 ? 4 : 1, overlaps > 0 ? 8 : 1);
    }

    /** The hook before a stage's first forward starts its gather, after the stage has received its activations. */
    @Test
    void laterStagesGatherOnceTheirFirstActivationsHaveCome() {
        Map<String, Object> given = overlaps(2);
        given.put("pipeline_parallel", 2);
        StepPlan plan = plan(given, 4);
        int gather = collectives(plan, ALL_GATHER).stream()
                .filter(at -> plan.runsOn(at, 1))
                .findFirst()
                .orElseThrow();
        assertThat(plan.waitsFor(gather))
                .containsExactly(collectives(plan, CollectiveKind.BROADCAST).get(0));
    }

    /** The gathers of two model chunks begin with the step, those of each later model chunk one chunk ahead of it. */
    @Test
    void interleavedPiecesAreGatheredAhead() {
        Map<String, Object> given = overlaps(2);
        given.putAll(Map.of("pipeline_parallel", 2, "pipeline_schedule", "interleaved", "model_chunks", 4));
        StepPlan plan = plan(given, 4);
        for (int stage = 0; stage < 2; stage++) {
            int of = stage;
            List<Integer> gathers = collectives(plan, ALL_GATHER).stream()
                    .filter(at -> plan.runsOn(at, of))
                    .toList();
            int soon = gathers.size() - 2;
            assertThat(gathers.subList(0, soon))
                    .allSatisfy(at -> assertThat(plan.waitsFor(at)).isEmpty());
            assertThat(gathers.subList(soon, gathers.size()))
                    .allSatisfy(at -> assertThat(plan.waitsFor(at)).isNotEmpty());
        }
    }

    @Test
    void parametersOf8BitsAreGatheredInHalfTheBytes() {
        Map<String, Object> given = Map.of("fp8_param_gather", true);
        ShardingStrategy strategy = Strategies.of("megatron-core", given);
        TrainingJob eight =
                JobBuilder.like(job(given, 1)).kernels("transformer-engine-fp8").build();

        assertThat(strategy.problems(eight)).isEmpty();
        assertThat(2 * Strategies.bytes(strategy.plan(eight), ALL_GATHER, "parameters"))
                .isEqualTo(Strategies.bytes(
                        Strategies.of("megatron-core", Map.of()).plan(eight), ALL_GATHER, "parameters"));
        assertThat(strategy.problems(job(given, 1)))
                .extracting(Refusal::sentence)
                .containsExactly(
                        "fp8_param_gather true needs precision fp8, not bf16; set it, or remove fp8_param_gather");
    }

    /** An FP8 weight in both layouts, in addition to the 16-bit one or instead of it. */
    @Test
    void weightsOf8BitsAreKeptForTheNextMicroBatch() {
        TrainingJob half =
                JobBuilder.like(job(Map.of(), 1)).kernels("transformer-engine").build();
        TrainingJob eight =
                JobBuilder.like(half).kernels("transformer-engine-fp8").build();
        long held = parameterBytes(Map.of(), half);

        assertThat(parameterBytes(Map.of(), eight) - held)
                .isEqualTo(2L * eight.model().layers() * eight.layerParameters(0));
        assertThat(parameterBytes(Map.of("fp8_param_gather", true), eight)).isEqualTo(held);
    }

    /**
     * MXFP8's copies for rows and columns differ, so BF16 is gathered; block-scaled weights are gathered in FP8. 4-bit copies with their scales take
     * 9/16 of a byte each.
     */
    @Test
    void aRecipeSaysWhatIsGatheredAndKept() {
        Map<String, Object> given = Map.of("fp8_param_gather", true);
        JobBuilder eight = JobBuilder.like(job(given, 1)).kernels("transformer-engine-fp8");
        ShardingStrategy strategy = Strategies.of("megatron-core", given);
        long inFp8 = Strategies.bytes(strategy.plan(eight.fp8Recipe("blockwise").build()), ALL_GATHER, "parameters");
        TrainingJob mxfp8 = eight.fp8Recipe("mxfp8").build();

        assertThat(Strategies.bytes(strategy.plan(mxfp8), ALL_GATHER, "parameters"))
                .isEqualTo(2 * inFp8);
        TrainingJob half =
                JobBuilder.like(job(Map.of(), 1)).kernels("transformer-engine").build();
        long layers = (long) half.model().layers() * half.layerParameters(0);
        TrainingJob four = JobBuilder.like(half)
                .kernels("transformer-engine-fp8")
                .fp8Recipe("nvfp4")
                .build();
        assertThat(parameterBytes(Map.of(), four) - parameterBytes(Map.of(), half))
                .isEqualTo(layers * 9 / 8);
    }

    private static long parameterBytes(Map<String, Object> given, TrainingJob job) {
        return MemoryLedger.of(Strategies.of("megatron-core", given).plan(job))
                .atPeak()
                .get(MemoryOwner.PARAMETERS);
    }

    @Test
    void refusesToGatherBesideForwardAloneAndTellsIdleSettings() {
        Map<String, Object> gatherAlone = Map.of("overlap_param_gather", true);
        assertThat(Strategies.of("megatron-core", gatherAlone).problems(job(gatherAlone, 1)))
                .extracting(Refusal::sentence)
                .containsExactly(
                        "overlap_param_gather true needs overlap_grad_reduce true, not false; set it, or remove overlap_param_gather");
        Map<String, Object> idle = Map.of("bucket_size", 1_000_000);
        assertThat(Strategies.of("megatron-core", idle).remarks(job(idle, 1)))
                .containsExactly("bucket_size has no effect without overlap_grad_reduce");
    }

    @Test
    void oneReplicaMovesNothing() {
        for (int overlaps = 0; overlaps <= 2; overlaps++) {
            Map<String, Object> given = overlaps(overlaps);
            given.put("tensor_parallel", RANKS);
            StepPlan plan = plan(given, 2);
            assertThat(Strategies.count(plan, REDUCE_SCATTER, "")).isZero();
            assertThat(Strategies.count(plan, ALL_GATHER, "")).isZero();
        }
    }

    private static List<Integer> collectives(StepPlan plan, CollectiveKind kind) {
        return IntStream.range(0, plan.size())
                .filter(i -> plan.operation(i) instanceof Operation.Collective collective && collective.kind() == kind)
                .boxed()
                .toList();
    }

    private static List<Integer> all(StepPlan plan, Work.Kind kind) {
        return IntStream.range(0, plan.size())
                .filter(i -> plan.operation(i) instanceof Operation.Compute compute
                        && compute.work().kind() == kind)
                .boxed()
                .toList();
    }

    private static int last(StepPlan plan, Work.Kind kind) {
        List<Integer> found = all(plan, kind);
        return found.get(found.size() - 1);
    }

    private static long bytes(StepPlan plan, int at) {
        return ((Operation.Collective) plan.operation(at)).totalBytes();
    }

    private static long ofStage(StepPlan plan, CollectiveKind kind, int stage) {
        return collectives(plan, kind).stream()
                .filter(at -> plan.runsOn(at, stage))
                .mapToLong(at -> bytes(plan, at))
                .sum();
    }

    /** Returns everything that is done before an operation starts: its waits, its predecessor on its stream, and their waits. */
    private static Set<Integer> before(StepPlan plan, int operation) {
        Set<Integer> before = new HashSet<>();
        int[] next = direct(plan, operation);
        while (next.length > 0) {
            next = Arrays.stream(next)
                    .filter(before::add)
                    .flatMap(at -> Arrays.stream(direct(plan, at)))
                    .toArray();
        }
        return before;
    }

    private static int[] direct(StepPlan plan, int operation) {
        IntStream predecessor = IntStream.iterate(operation - 1, at -> at >= 0, at -> at - 1)
                .filter(at -> plan.operation(at).stream() == plan.operation(operation).stream())
                .limit(1);
        return IntStream.concat(Arrays.stream(plan.waitsFor(operation)), predecessor)
                .toArray();
    }
}
