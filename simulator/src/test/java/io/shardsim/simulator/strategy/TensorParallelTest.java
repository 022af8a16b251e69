package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.workload.ActivationMemory;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Decoder;
import io.shardsim.simulator.workload.Encoder;
import io.shardsim.simulator.workload.Encoder.Norms;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Recomputed;
import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segment.Portion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Communication and memory of a tensor-parallel group, by the formulas of arXiv:1909.08053 and arXiv:2205.05198. */
class TensorParallelTest {
    private static final ModelShape MODEL = ModelShape.gpt2(1024, 6, 16, 51200, 1024);
    private static final int MICRO_BATCHES = 3;
    private static final long HIDDEN_BYTES = 2L * 512 * 1024 * 2;

    private static TrainingJob job(String kind, Map<String, Object> given, Checkpointing checkpointing) {
        return JobBuilder.job(MODEL)
                .samples(512, 2, MICRO_BATCHES)
                .checkpointing(checkpointing)
                .parallel(Strategies.of(kind, given).modelParallel())
                .build();
    }

    private static StepPlan plan(String kind, Map<String, Object> given, Checkpointing checkpointing) {
        return Strategies.of(kind, given).plan(job(kind, given, checkpointing));
    }

    /** Two in forward, two in backward (arXiv:1909.08053, figure 4), each of the whole hidden state. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "megatron",
                "ddp",
                "zero1",
                "zero2",
                "zero3",
                "zero3-0.11",
                "mics",
                "fsdp",
                "fsdp-grad-op",
                "fsdp-hybrid",
                "fsdp2"
            })
    void fourAllReducesALayerAndMicroBatch(String kind) {
        StepPlan plan = plan(kind, Map.of("tensor_parallel", 4), Checkpointing.NONE);
        long layers = (long) MODEL.layers() * MICRO_BATCHES;

        assertThat(Strategies.count(plan, CollectiveKind.ALL_REDUCE, "all-reduce layer"))
                .isEqualTo(4 * layers);
        assertThat(Strategies.bytes(plan, CollectiveKind.ALL_REDUCE, "all-reduce layer"))
                .isEqualTo(4 * layers * HIDDEN_BYTES);
    }

    /** Full checkpointing runs the forward again, including its two all-reduces. */
    @Test
    void recomputationRepeatsTheForwardsAllReduces() {
        StepPlan plan = plan("megatron", Map.of("tensor_parallel", 4), Checkpointing.FULL);

        assertThat(Strategies.count(plan, CollectiveKind.ALL_REDUCE, "all-reduce layer"))
                .isEqualTo(6L * MODEL.layers() * MICRO_BATCHES);
    }

    /** A norm after the last block needs that block's sum again, even if a recomputation stops early. */
    @Test
    void aNormBehindTheLastBlockNeedsItsSumAgain() {
        for (Norms norms : Norms.values()) {
            ModelShape bert = MODEL.withEncoder(new Encoder(0.15, false, 2, true, norms));
            StepPlan plan = plan(bert, "fsdp2", Map.of("tensor_parallel", 4), Checkpointing.FULL);
            long each = norms == Norms.BEHIND ? 6 : 5;
            assertThat(Strategies.count(plan, CollectiveKind.ALL_REDUCE, "all-reduce layer"))
                    .isEqualTo(each * MODEL.layers() * MICRO_BATCHES);
        }
    }

    /**
     * A decoder layer has three all-reduces of its own tokens in forward and in backward, and one of the encoder's tokens, for the gradient of the
     * input of keys and values.
     */
    @Test
    void aDecoderAddsUpItsOwnTokensAndGradientsOfTheEncoders() {
        ModelShape t5 = MODEL.withDecoder(new Decoder(2, 128, 32));
        StepPlan plan = plan(t5, "megatron", Map.of("tensor_parallel", 4), Checkpointing.NONE);
        long encoder = 4 * 4 * HIDDEN_BYTES;
        long decoder = 2 * (6 * HIDDEN_BYTES / 4 + HIDDEN_BYTES);
        assertThat(Strategies.bytes(plan, CollectiveKind.ALL_REDUCE, "all-reduce layer"))
                .isEqualTo(MICRO_BATCHES * (encoder + decoder));
    }

    private static StepPlan plan(
            ModelShape model, String kind, Map<String, Object> given, Checkpointing checkpointing) {
        return Strategies.of(kind, given)
                .plan(JobBuilder.job(model)
                        .samples(512, 2, MICRO_BATCHES)
                        .checkpointing(checkpointing)
                        .kernels("composer")
                        .parallel(Strategies.of(kind, given).modelParallel())
                        .build());
    }

    /** An operator checkpoint saves results after the reduce-scatter, but not after a gather. */
    @Test
    void operatorGathersAgainAndScattersOnce() {
        Map<String, Object> given = Map.of("tensor_parallel", 4, "sequence_parallel", true);
        StepPlan kept = plan("fsdp2", given, Checkpointing.NONE);
        StepPlan again = plan("fsdp2", given, Checkpointing.OPERATOR);
        long layers = (long) MODEL.layers() * MICRO_BATCHES;

        assertThat(Strategies.count(again, CollectiveKind.ALL_GATHER, "of layer"))
                .isEqualTo(Strategies.count(kept, CollectiveKind.ALL_GATHER, "of layer") + 2 * layers);
        assertThat(Strategies.count(again, CollectiveKind.REDUCE_SCATTER, "of layer"))
                .isEqualTo(Strategies.count(kept, CollectiveKind.REDUCE_SCATTER, "of layer"));
    }

    /** A ring all-reduce is a reduce-scatter plus an all-gather: the same bytes in other messages (arXiv:2205.05198, section 4.2.2). */
    @Test
    void sequenceParallelismMovesTheSameBytesAsGathersAndScatters() {
        StepPlan tensor = plan("megatron", Map.of("tensor_parallel", 4), Checkpointing.NONE);
        StepPlan sequence =
                plan("megatron", Map.of("tensor_parallel", 4, "sequence_parallel", true), Checkpointing.NONE);
        long reduced = Strategies.bytes(tensor, CollectiveKind.ALL_REDUCE, "all-reduce layer");

        assertThat(Strategies.bytes(sequence, CollectiveKind.ALL_REDUCE, "all-reduce layer"))
                .isZero();
        assertThat(Strategies.bytes(sequence, CollectiveKind.ALL_GATHER, "of layer"))
                .isEqualTo(reduced);
        assertThat(Strategies.bytes(sequence, CollectiveKind.REDUCE_SCATTER, "of layer"))
                .isEqualTo(reduced);
        double moved = CollectiveKind.ALL_GATHER.busFactor(4) + CollectiveKind.REDUCE_SCATTER.busFactor(4);
        assertThat(moved).isEqualTo(CollectiveKind.ALL_REDUCE.busFactor(4));
    }

    /**
     * TransformerEngine v1.11, module/layernorm_linear.py: a norm's result is quantized before it is gathered; GEMM results are reduced in 16 bits.
     */
    @Test
    void productsOf8BitsGatherTheSequenceInHalfTheBytes() {
        Map<String, Object> given = Map.of("tensor_parallel", 4, "sequence_parallel", true);
        TrainingJob half = job("megatron-core", given, Checkpointing.NONE);
        TrainingJob eight =
                JobBuilder.like(half).kernels("transformer-engine-fp8").build();
        StepPlan halves = Strategies.of("megatron-core", given).plan(half);
        StepPlan eighths = Strategies.of("megatron-core", given).plan(eight);

        assertThat(2 * Strategies.bytes(eighths, CollectiveKind.ALL_GATHER, "sequence of layer"))
                .isEqualTo(Strategies.bytes(halves, CollectiveKind.ALL_GATHER, "sequence of layer"));
        assertThat(Strategies.bytes(eighths, CollectiveKind.REDUCE_SCATTER, "sequence of layer"))
                .isEqualTo(Strategies.bytes(halves, CollectiveKind.REDUCE_SCATTER, "sequence of layer"));
    }

    /** Without loss parallelism every rank has all logits (torch.distributed.tensor.parallel, output_layouts of the last linear map). */
    @ParameterizedTest
    @ValueSource(strings = {"fsdp2", "megatron", "megatron-core"})
    void logitsThatAreGatheredTakeTheWholeVocabularyOnEveryRank(String kind) {
        Map<String, Object> split = Map.of("tensor_parallel", 4);
        Map<String, Object> whole = Map.of("tensor_parallel", 4, "gather_logits", true);
        StepPlan parts = plan(kind, split, Checkpointing.FULL);
        StepPlan all = plan(kind, whole, Checkpointing.FULL);
        long logits = 2L * 2 * 512 * MODEL.vocab();

        assertThat(Strategies.bytes(all, CollectiveKind.ALL_GATHER, "gather logits"))
                .isEqualTo(MICRO_BATCHES * logits);
        assertThat(Strategies.count(all, CollectiveKind.ALL_REDUCE, "logit")).isZero();
        assertThat(Strategies.count(parts, CollectiveKind.ALL_REDUCE, "logit")).isPositive();
        assertThat(MemoryLedger.of(all).peakBytes() - MemoryLedger.of(parts).peakBytes())
                .as("three quarters of all logits, with what the loss keeps of them and its gradient")
                .isGreaterThan(logits);
        assertThat(Strategies.of(kind, Map.of("gather_logits", true)).remarks(job(kind, Map.of(), Checkpointing.FULL)))
                .containsExactly("gather_logits has no effect without tensor_parallel");
    }

    /**
     * ColwiseParallel of torch.distributed.tensor.parallel with input_layouts: query, key, value and up projection gather four times instead of
     * twice.
     */
    @Test
    void projectionsThatExchangeForThemselvesGatherTheirInputAndScatterItsGradient() {
        Map<String, Object> once = Map.of("tensor_parallel", 4, "sequence_parallel", true);
        Map<String, Object> each =
                Map.of("tensor_parallel", 4, "sequence_parallel", true, "exchange_by_projection", true);
        StepPlan blocks = plan("fsdp2", once, Checkpointing.NONE);
        StepPlan projections = plan("fsdp2", each, Checkpointing.NONE);
        long layers = (long) MODEL.layers() * MICRO_BATCHES;

        for (CollectiveKind kind : List.of(CollectiveKind.ALL_GATHER, CollectiveKind.REDUCE_SCATTER)) {
            assertThat(Strategies.count(blocks, kind, "sequence of layer")).isEqualTo(4 * layers);
            assertThat(Strategies.count(projections, kind, "sequence of layer")).isEqualTo(6 * layers);
        }
        assertThat(Strategies.of("fsdp2", Map.of("exchange_by_projection", true))
                        .remarks(job("fsdp2", Map.of(), Checkpointing.FULL)))
                .containsExactly("exchange_by_projection has no effect without tensor_parallel");
    }

    /** torch/distributed/_functional_collectives.py gathers along the first dimension, and concatenates the shards along the second. */
    @Test
    void whereSamplesComeFirstWhatIsExchangedAlongTheSequenceIsCopiedOnce() {
        Map<String, Object> sequence = Map.of("tensor_parallel", 4, "sequence_parallel", true);
        StepPlan first = plan("fsdp", sequence, Checkpointing.FULL);
        StepPlan outermost = plan(
                "fsdp",
                Map.of("tensor_parallel", 4, "sequence_parallel", true, "sequence_first", true),
                Checkpointing.FULL);
        long gathered = Strategies.bytes(first, CollectiveKind.ALL_GATHER, "sequence");
        long scattered = Strategies.bytes(first, CollectiveKind.REDUCE_SCATTER, "sequence");

        assertThat(Strategies.moved(first, "place sequence")).isEqualTo(2 * gathered);
        assertThat(Strategies.moved(first, "cut sequence")).isEqualTo(2 * scattered);
        assertThat(Strategies.moved(outermost, "sequence")).isZero();
        assertThat(Strategies.moved(plan("megatron", sequence, Checkpointing.FULL), "sequence"))
                .isZero();
    }

    @Test
    void thatTheSequenceComesFirstIsWithoutEffectWhereItIsNotSplitOrHasOneSample() {
        Map<String, Object> whole = Map.of("tensor_parallel", 4, "sequence_first", true);
        Map<String, Object> split = Map.of("tensor_parallel", 4, "sequence_parallel", true, "sequence_first", true);
        TrainingJob job = job("fsdp", split, Checkpointing.FULL);
        assertThat(Strategies.of("fsdp", whole).remarks(job("fsdp", whole, Checkpointing.FULL)))
                .containsExactly("sequence_first has no effect without sequence_parallel");
        assertThat(Strategies.of("fsdp", split).remarks(job.withMicroBatch(1, 1)))
                .containsExactly("sequence_first has no effect with micro_batch 1");
        assertThat(Strategies.of("fsdp", split).remarks(job)).isEmpty();
    }

    @Test
    void aJobHasItsVocabularyAsItsFrameworkHoldsIt() {
        JobBuilder gpt2 = JobBuilder.job(MODEL.withVocab(50257))
                .parallel(
                        Strategies.of("megatron", Map.of("tensor_parallel", 4)).modelParallel());
        assertThat(gpt2.build().model().vocab()).isEqualTo(50257);
        TrainingJob filled = gpt2.kernels("megatron").build();
        assertThat(filled.model().vocab()).isEqualTo(99 * 4 * 128);
        assertThat(filled.withMicroBatch(1, 1).model()).isEqualTo(filled.model());
    }

    /** The wgrad of a block's first weights waits for no all-reduce of its block; the operation after it does (megatron/mpu/layers.py, backward). */
    @Test
    void gradientsOfWeightsAreMadeBesideTheAllReduceOfTheInputsGradient() {
        StepPlan beside = plan("megatron", Map.of("tensor_parallel", 4), Checkpointing.NONE);
        StepPlan after =
                plan("megatron", Map.of("tensor_parallel", 4, "async_tensor_all_reduce", false), Checkpointing.NONE);
        int made = 0;
        for (int i = 1; i < beside.size(); i++) {
            if (!portionsOf(beside, i).equals(Set.of(Portion.WEIGHT_GRADIENT))) {
                continue;
            }
            made++;
            assertThat(beside.operation(i - 1).label()).isEqualTo("all-reduce layer gradient");
            assertThat(beside.waitsFor(i)).doesNotContain(i - 1);
            assertThat(beside.waitsFor(nextCompute(beside, i))).contains(i - 1);
        }
        assertThat(made).isEqualTo(2 * MODEL.layers() * MICRO_BATCHES);
        assertThat(Strategies.count(beside, CollectiveKind.ALL_REDUCE, "all-reduce layer"))
                .isEqualTo(Strategies.count(after, CollectiveKind.ALL_REDUCE, "all-reduce layer"));
        for (int i = 0; i < after.size(); i++) {
            assertThat(portionsOf(after, i)).isNotEqualTo(Set.of(Portion.WEIGHT_GRADIENT));
        }
    }

    /** Entry and exit of a block wait for no communication of their own; the middle waits for the one before, the next block for the one after. */
    @Test
    void productsGoBesideWhatIsExchangedAlongTheSequence() {
        Map<String, Object> given =
                Map.of("tensor_parallel", 4, "sequence_parallel", true, "overlap_tensor_exchange", true);
        StepPlan plan = plan("megatron-core", given, Checkpointing.FULL);
        Set<Set<Portion>> beside = Set.of(Set.of(Portion.OTHER_ROWS), Set.of(Portion.WEIGHT_GRADIENT), Set.of());
        int besides = 0;
        for (int i = 1; i < plan.size(); i++) {
            if (!beside.contains(portionsOf(plan, i))) {
                continue;
            }
            besides++;
            assertThat(plan.operation(i - 1).label()).contains("sequence of layer");
            assertThat(plan.waitsFor(i)).doesNotContain(i - 1);
            int next = nextCompute(plan, i);
            boolean again = plan.operation(next - 1).label().contains("sequence") && next - 1 > i;
            assertThat(plan.waitsFor(again ? next - 1 : next)).contains(i - 1);
        }
        assertThat(besides)
                .as("two in each block, of forward, recomputation and backward")
                .isEqualTo(2 * 2 * 3 * MODEL.layers() * MICRO_BATCHES);
        assertThat(Strategies.of("megatron-core", Map.of("tensor_parallel", 4, "overlap_tensor_exchange", true))
                        .problems(job(
                                "megatron-core",
                                Map.of("tensor_parallel", 4, "overlap_tensor_exchange", true),
                                Checkpointing.NONE)))
                .extracting(Refusal::sentence)
                .containsExactly(
                        "overlap_tensor_exchange true needs sequence_parallel true, not false; set it, or remove overlap_tensor_exchange");
    }

    private static int nextCompute(StepPlan plan, int index) {
        int next = index + 1;
        while (plan.operation(next).stream() != Stream.COMPUTE) {
            next++;
        }
        return next;
    }

    /** Returns the operators of a layer that an operation computes; outside of layers, all portions. */
    private static Set<Portion> portionsOf(StepPlan plan, int index) {
        return plan.operation(index) instanceof Operation.Compute compute
                        && compute.work().segment() != null
                ? compute.work().segment().pieces().stream()
                        .map(Segment.Piece::portion)
                        .collect(Collectors.toSet())
                : Set.of(Portion.values());
    }

    /** s b h (10 + 24 / t + 5 a s / (h t)) with tensor parallelism; with sequence parallelism, everything is divided by t (equations 2 and 4). */
    @Test
    void activationsOfALayerAreThoseOfThePaper() {
        long sbh = 512L * 2 * 1024;
        double scores = 5.0 * 16 * 512 / 1024;
        for (boolean sequence : new boolean[] {false, true}) {
            ActivationMemory activations = new ActivationMemory(
                    MODEL, AttentionKind.STANDARD, true, 4, sequence, 2, false, Recomputed.CORE_ATTENTION);
            double expected = sequence ? sbh * (34 + scores) / 4 : sbh * (10 + 24 / 4.0 + scores / 4);
            assertThat((double) activations.layerBytes(0, 2, 512, Checkpointing.NONE))
                    .isEqualTo(expected);
        }
    }

    /** Weights are divided by t; norms and biases added after a sum are not. */
    @Test
    void statesOfARankAreThoseOfItsPart() {
        for (int t : List.of(1, 2, 4, 8)) {
            long h = 1024;
            long layer = (12 * h * h + 7 * h) / t + 6 * h;
            long embedding = 51200 * h / t + 1024 * h;
            long parameters = 6 * layer + embedding + 2 * h;
            StepPlan plan = plan("megatron", Map.of("tensor_parallel", t), Checkpointing.FULL);

            assertThat(MemoryLedger.of(plan).atPeak().get(MemoryOwner.PARAMETERS))
                    .isEqualTo(2 * parameters);
            assertThat(MemoryLedger.of(plan).atPeak().get(MemoryOwner.GRADIENTS))
                    .isEqualTo(2 * parameters);
        }
    }

    /** Ranks of a shard group hold the same part of every layer, so they are a stride of the tensor-parallel size apart. */
    @Test
    void shardGroupsStepOverTensorParallelGroups() {
        Map<String, Object> given = Map.of("tensor_parallel", 4, "shard_group", 2);
        RankGroups groups = Strategies.of("mics", given).shardGroups(job("mics", given, Checkpointing.FULL));

        assertThat(groups.membersOf(5)).containsExactly(1, 5);
        assertThat(groups.membersOf(14)).containsExactly(10, 14);
    }
}
