package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.LayerKernels;
import io.shardsim.simulator.compute.LayerKernels.Logits;
import io.shardsim.simulator.compute.LayerKernels.Split;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ExpertLoad;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.Recomputed;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Communication and memory of an expert-parallel group, as in Megatron-Core's alltoall dispatcher with whole experts on each rank. */
class ExpertParallelTest {
    private static final String KIND = "megatron-core";
    private static final int HIDDEN = 1024;
    private static final int SEQUENCE = 2048;
    private static final int MICRO_BATCH = 2;
    private static final int MICRO_BATCHES = 3;
    private static final int LAYERS = 6;
    private static final Experts EXPERTS = new Experts(16, 4);
    private static final ModelShape MODEL = new ModelShape(
            HIDDEN,
            LAYERS,
            Family.LLAMA,
            new Heads(16, 16, 64, false),
            2048,
            new MixtureOfExperts(EXPERTS, 512, 0, 2, 1),
            new Embeddings(51200, false, 0));
    private static final long COPIES = 2L * MICRO_BATCH * SEQUENCE * HIDDEN * EXPERTS.perToken();
    private static final long PASSES = (LAYERS - 2L) * MICRO_BATCHES;
    private static final long EXPERT_PARAMETERS = 3L * HIDDEN * 512 * EXPERTS.number() * (LAYERS - 2);

    private static TrainingJob job(Map<String, Object> given, Checkpointing checkpointing) {
        return JobBuilder.job(MODEL)
                .samples(SEQUENCE, MICRO_BATCH, MICRO_BATCHES)
                .checkpointing(checkpointing)
                .parallel(Strategies.of(KIND, given).modelParallel())
                .build();
    }

    private static StepPlan plan(Map<String, Object> given, Checkpointing checkpointing) {
        return Strategies.of(KIND, given).plan(job(given, checkpointing));
    }

    private static Map<String, Object> experts(int ranks) {
        return Map.of("expert_parallel", ranks);
    }

    private static long exchanged(StepPlan plan, String label) {
        return Strategies.bytes(plan, CollectiveKind.ALL_TO_ALL, label);
    }

    /** Copies are sent to the experts and return, in forward and in backward; layers without experts do not communicate. */
    @ParameterizedTest
    @ValueSource(ints = {2, 8})
    void everyLayerWithExpertsExchangesAllCopiesFourTimes(int ranks) {
        StepPlan plan = plan(experts(ranks), Checkpointing.NONE);
        for (String label : new String[] {
            "tokens to experts", "tokens from experts", "gradients to experts", "gradients from experts"
        }) {
            assertThat(exchanged(plan, label)).as(label).isEqualTo(PASSES * COPIES);
        }
    }

    /** The all-to-alls carry the load of the fullest rank of each layer. */
    @Test
    void anUnevenLoadExchangesWhatTheFullestRankHas() {
        ExpertLoad load = new ExpertLoad(ExpertLoad.Law.ZIPF, 0.5, 7, 0, false, 1);
        TrainingJob job = JobBuilder.job(MODEL.withLoad(load))
                .samples(SEQUENCE, MICRO_BATCH, MICRO_BATCHES)
                .checkpointing(Checkpointing.NONE)
                .parallel(Strategies.of(KIND, experts(8)).modelParallel())
                .build();
        DoubleSummaryStatistics fullest = job.model().fullestRanks();
        assertThat(fullest.getCount()).isEqualTo(LAYERS - 2);
        assertThat(fullest.getMin()).isGreaterThan(1).isLessThan(fullest.getMax());
        assertThat((double) exchanged(Strategies.of(KIND, experts(8)).plan(job), "tokens to experts"))
                .isCloseTo(MICRO_BATCHES * fullest.getSum() * COPIES, withinPercentage(0.1));
    }

    /** Recomputing module moe repeats both all-to-alls; recomputing the experts' activation repeats none. */
    @Test
    void onlyWholeExpertsAreExchangedAgain() {
        for (String module : List.of("moe_act", "moe")) {
            TrainingJob job = JobBuilder.job(MODEL)
                    .samples(SEQUENCE, MICRO_BATCH, MICRO_BATCHES)
                    .recomputing(List.of(module))
                    .parallel(Strategies.of(KIND, experts(4)).modelParallel())
                    .build();
            assertThat(exchanged(Strategies.of(KIND, experts(4)).plan(job), "tokens to experts"))
                    .isEqualTo((module.equals("moe") ? 2 : 1) * PASSES * COPIES);
        }
    }

    @Test
    void recomputationExchangesThemAgain() {
        StepPlan plan = plan(experts(4), Checkpointing.FULL);
        assertThat(exchanged(plan, "tokens to experts")).isEqualTo(2 * PASSES * COPIES);
        assertThat(exchanged(plan, "tokens from experts")).isEqualTo(2 * PASSES * COPIES);
    }

    @Test
    void oneRankExchangesNothing() {
        assertThat(plan(experts(1), Checkpointing.NONE)).isEqualTo(plan(Map.of(), Checkpointing.NONE));
        assertThat(Strategies.bytes(
                        plan(experts(1), Checkpointing.NONE), CollectiveKind.ALL_TO_ALL, "tokens to experts"))
                .isZero();
    }

    /**
     * The experts are distributed over e of N = 16 ranks, so N / e ranks hold the same ones; 18 bytes per parameter, 12 of them sharded among those.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void statesOfExpertsAreShardedAmongTheRanksThatHoldTheSame(int ranks) {
        TrainingJob job = job(experts(ranks), Checkpointing.NONE);
        long held = EXPERT_PARAMETERS / ranks;
        long others = MODEL.parameters() - EXPERT_PARAMETERS;
        int world = job.worldSize();
        MemoryLedger ledger = MemoryLedger.of(plan(experts(ranks), Checkpointing.NONE));
        assertThat(ledger.atPeak().get(MemoryOwner.GRADIENTS)).isEqualTo(4 * (held + others));
        assertThat(ledger.atPeak().get(MemoryOwner.PARAMETERS)).isEqualTo(2 * (held + others));
        assertThat(ledger.atPeak().get(MemoryOwner.OPTIMIZER_STATES))
                .isEqualTo(12 * (held / (world / ranks) + (others + world - 1) / world));
    }

    @Test
    void gradientsOfExpertsAreReducedAmongTheRanksThatHoldTheSame() {
        StepPlan plan = plan(experts(4), Checkpointing.NONE);
        long others = MODEL.parameters() - EXPERT_PARAMETERS;
        assertThat(Strategies.bytes(plan, CollectiveKind.REDUCE_SCATTER, "reduce-scatter gradients"))
                .isBetween(4 * (others + EXPERT_PARAMETERS / 4), 4 * (others + EXPERT_PARAMETERS / 4) + 64);
    }

    private static Map<String, Object> split(int different, int slices, int tensor) {
        return Map.of(
                "expert_parallel",
                different,
                "expert_tensor_parallel",
                slices,
                "tensor_parallel",
                tensor,
                "sequence_parallel",
                tensor > 1);
    }

    /** A rank's copies are sent as without a split, then gathered by the ranks that split experts, whose results are reduced. */
    @ParameterizedTest
    @CsvSource({"4, 2, 1", "4, 2, 2", "2, 4, 2", "1, 2, 2", "8, 1, 2"})
    void ranksThatSplitExpertsGatherTheCopies(int different, int slices, int tensor) {
        StepPlan plan = plan(split(different, slices, tensor), Checkpointing.NONE);
        for (String label : List.of("tokens", "gradients")) {
            assertThat(exchanged(plan, label + " to experts")).isEqualTo(different == 1 ? 0 : PASSES * COPIES / tensor);
            assertThat(Strategies.bytes(plan, CollectiveKind.ALL_GATHER, label + " to experts, split experts"))
                    .isEqualTo(slices == 1 ? 0 : PASSES * slices * COPIES / tensor);
            assertThat(Strategies.bytes(plan, CollectiveKind.REDUCE_SCATTER, label + " from experts, split experts"))
                    .isEqualTo(slices == 1 ? 0 : PASSES * slices * COPIES / tensor);
        }
    }

    /** TP x DP = ETP x EP x EDP: e experts' parts times their ranks divide parameters, and the rest of the ranks their states. */
    @ParameterizedTest
    @CsvSource({"4, 2", "2, 4", "1, 8", "8, 2"})
    void eachRankHoldsASliceOfItsExperts(int different, int slices) {
        TrainingJob job = job(split(different, slices, 1), Checkpointing.NONE);
        long held = EXPERT_PARAMETERS / different / slices;
        long others = MODEL.parameters() - EXPERT_PARAMETERS;
        int world = job.worldSize();
        MemoryLedger ledger = MemoryLedger.of(plan(split(different, slices, 1), Checkpointing.NONE));
        assertThat(ledger.atPeak().get(MemoryOwner.PARAMETERS)).isEqualTo(2 * (held + others));
        assertThat(ledger.atPeak().get(MemoryOwner.OPTIMIZER_STATES))
                .isEqualTo(12 * (held / (world / different / slices) + (others + world - 1) / world));
    }

    /** The gathered copies are the first matrix's saved input; everything behind it is as wide as its slice. */
    @Test
    void gatheredCopiesAreKept() {
        long whole = kept(split(4, 1, 1));
        assertThat(kept(split(4, 2, 1)) - whole).isEqualTo(COPIES * (LAYERS - 2));
        assertThat(kept(split(4, 4, 1)) - whole).isEqualTo(3 * COPIES * (LAYERS - 2));
    }

    private static long kept(Map<String, Object> given) {
        return MemoryLedger.of(plan(given, Checkpointing.NONE)).atPeak().get(MemoryOwner.ACTIVATIONS);
    }

    /** A rank computes the copies of all ranks that split its experts, with its slice of their width. */
    @Test
    void gemmsHaveMoreRowsAndASliceOfTheWidth() {
        List<Kernel> kernels = new LayerKernels(
                        MODEL,
                        new Workload(
                                SEQUENCE,
                                1,
                                AttentionKind.FLASH,
                                new Split(2, 1, true, 8, 2, true, Logits.SPLIT, false)),
                        FrameworkProfile.named("transformer-engine"))
                .of(new Segments(MODEL.operators(), Recomputed.CORE_ATTENTION)
                        .forward(Section.layer(MODEL.kindOf(LAYERS - 1))));
        assertThat(kernels.stream()
                        .filter(kernel -> kernel instanceof Matmul product
                                && product.name().startsWith("experts."))
                        .map(kernel -> (Matmul) kernel)
                        .map(product ->
                                product.batch() + " of " + product.m() + " x " + product.n() + " x " + product.k()))
                .containsExactly("4 of 2048 x 512 x 1024", "4 of 2048 x 1024 x 256");
    }

    @Test
    void splitsThatDoNotDivideAreRefused() {
        assertThat(problems(split(4, 3, 1)))
                .contains(
                        "expert_parallel 4 x expert_tensor_parallel 3 = 12 does not divide the 16 ranks of a pipeline stage;"
                                + " nearest divisors: 8, 16",
                        "expert_tensor_parallel 3 does not divide expert_ffn 512; nearest divisors: 2, 4");
    }

    private static List<String> problems(Map<String, Object> given) {
        return Strategies.of(KIND, given).modelParallel().problems(job(given, Checkpointing.NONE)).stream()
                .map(Refusal::sentence)
                .toList();
    }

    /** Stage 1 shards 12 bytes of 16, stage 2 also gradients: those of experts over the ranks that hold the same ones. */
    @ParameterizedTest
    @CsvSource({"zero1, 2", "zero1, 16", "zero2, 4"})
    void zeroShardsExpertsAmongTheRanksThatHoldTheSame(String kind, int ranks) {
        TrainingJob job = JobBuilder.job(MODEL)
                .samples(SEQUENCE, MICRO_BATCH, MICRO_BATCHES)
                .checkpointing(Checkpointing.NONE)
                .parallel(Strategies.of(kind, experts(ranks)).modelParallel())
                .build();
        StepPlan plan = Strategies.of(kind, experts(ranks)).plan(job);
        long held = EXPERT_PARAMETERS / ranks;
        long others = MODEL.parameters() - EXPERT_PARAMETERS;
        int world = job.worldSize();
        long shard = held / (world / ranks) + (others + world - 1) / world;
        MemoryLedger ledger = MemoryLedger.of(plan);
        assertThat(ledger.atPeak().get(MemoryOwner.PARAMETERS)).isEqualTo(2 * (held + others));
        assertThat(ledger.atPeak().get(MemoryOwner.GRADIENTS))
                .isEqualTo(2 * (kind.equals("zero1") ? held + others : shard));
        assertThat(exchanged(plan, "tokens to experts")).isEqualTo(PASSES * COPIES);
        int times = kind.equals("zero1") ? 1 : MICRO_BATCHES;
        assertThat(Strategies.bytes(plan, CollectiveKind.REDUCE_SCATTER, "reduce bucket to owners"))
                .isBetween(
                        2 * times * (others + (ranks == world ? 0 : held)),
                        2 * times * (others + (ranks == world ? 0 : held)) + 2048);
        assertThat(Strategies.bytes(plan, CollectiveKind.ALL_GATHER, "gather updated parameters"))
                .isBetween(
                        2 * (others + (ranks == world ? 0 : held)), 2 * (others + (ranks == world ? 0 : held)) + 2048);
    }

    @Test
    void zeroWithoutSequenceParallelismDistributesNoExpertsOfSplitLayers() {
        Map<String, Object> given = Map.of("expert_parallel", 4, "tensor_parallel", 2);
        assertThat(Strategies.of("zero2", given).problems(job(given, Checkpointing.NONE)))
                .extracting(Refusal::sentence)
                .containsExactly(
                        "tensor_parallel 2 needs sequence_parallel true with experts, not false; set it, or remove tensor_parallel");
    }

    @Test
    void whatCannotBeSharedOutIsRefused() {
        assertThat(Strategies.of(KIND, experts(3)).modelParallel().problems(job(experts(3), Checkpointing.NONE)))
                .extracting(Refusal::sentence)
                .contains("expert_parallel 3 does not divide experts 16; nearest divisors: 2, 4");
        for (int ranks : new int[] {1, 4}) {
            Map<String, Object> tensor =
                    Map.of("expert_parallel", ranks, "tensor_parallel", 2, "sequence_parallel", false);
            assertThat(Strategies.of(KIND, tensor).problems(job(tensor, Checkpointing.NONE)))
                    .extracting(Refusal::sentence)
                    .containsExactly(
                            "tensor_parallel 2 needs sequence_parallel true with experts, not false; set it, or remove tensor_parallel");
        }
    }
}
