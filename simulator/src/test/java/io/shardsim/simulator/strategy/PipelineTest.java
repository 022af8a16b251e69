package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.PipelinePartition;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.pipeline.PipelineSchedule;
import io.shardsim.simulator.pipeline.PipelineSchedule.Pass;
import io.shardsim.simulator.pipeline.PipelineSchedules;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Schedules, partitions, traffic and memory of pipelines. */
class PipelineTest {
    private static final ModelShape MODEL = ModelShape.gpt2(1024, 8, 16, 51200, 1024);

    static List<String> schedules() {
        return PipelineSchedules.all().names();
    }

    private static TrainingJob job(ModelShape model, Map<String, Object> given, int microBatches) {
        return JobBuilder.job(model)
                .samples(512, 2, microBatches)
                .parallel(Strategies.of("megatron", given).modelParallel())
                .build();
    }

    private static StepPlan plan(Map<String, Object> given, int microBatches) {
        TrainingJob job = job(MODEL, given, microBatches);
        assertThat(Strategies.of("megatron", given).problems(job)).isEmpty();
        return Strategies.of("megatron", given).plan(job);
    }

    private static int chunksFor(String schedule) {
        return schedule.equals("interleaved") ? 2 : 1;
    }

    /** The contract of every schedule in {@code schedules/}. */
    @ParameterizedTest
    @MethodSource("schedules")
    void everyMicroBatchGoesForwardAndBackOnce(String name) {
        PipelineSchedule schedule = PipelineSchedules.all().named(name);
        int chunks = chunksFor(name);
        for (int stages = 2; stages <= 8; stages *= 2) {
            assertThat(schedule.problem(stages, 8, chunks)).isEmpty();
            for (int stage = 0; stage < stages; stage++) {
                Set<Pass> done = new HashSet<>();
                for (Pass pass : schedule.passes(stage, stages, 8, chunks)) {
                    assertThat(pass.forward() || done.contains(new Pass(true, pass.microBatch(), pass.chunk())))
                            .isTrue();
                    assertThat(!pass.ofWeights()
                                    || done.contains(
                                            new Pass(Pass.Kind.INPUT_GRADIENTS, pass.microBatch(), pass.chunk())))
                            .isTrue();
                    assertThat(done.add(pass)).isTrue();
                }
                assertThat(done).hasSize((schedule.splitsBackward() ? 3 : 2) * 8 * chunks);
            }
        }
    }

    @Test
    void schedulesSayWhereTheyComeFrom() {
        assertThat(PipelineSchedules.all().names())
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(
                        name -> assertThat(PipelineSchedules.all().source(name)).isNotBlank());
    }

    /** Stage s of p keeps p - s micro-batches under 1f1b, all of them under the simple schedule (arXiv:2104.04473, section 2.2.1). */
    @Test
    void microBatchesUnderWay() {
        assertThat(underWay("simple", 1, 4, 8)).isEqualTo(8);
        for (int stage = 0; stage < 4; stage++) {
            assertThat(underWay("1f1b", stage, 4, 8)).isEqualTo(4 - stage);
        }
        assertThat(underWay("1f1b", 0, 4, 2)).isEqualTo(2);
    }

    /** Stage s of p with v model chunks warms up with (v - 1) p + 2 (p - s - 1) micro-batches, also if there are only p, and then holds one more. */
    @Test
    void piecesUnderWay() {
        for (int microBatches : new int[] {4, 8}) {
            for (int stage = 0; stage < 4; stage++) {
                assertThat(underWay("interleaved", stage, 4, microBatches, 2))
                        .isEqualTo(Math.min(2 * microBatches, 4 + 2 * (4 - stage - 1) + 1));
            }
        }
    }

    private static int underWay(String name, int stage, int stages, int microBatches) {
        return underWay(name, stage, stages, microBatches, 1);
    }

    private static int underWay(String name, int stage, int stages, int microBatches, int chunks) {
        int now = 0;
        int most = 0;
        for (Pass pass : PipelineSchedules.all().named(name).passes(stage, stages, microBatches, chunks)) {
            now += pass.forward() ? 1 : pass.kind() == Pass.Kind.INPUT_GRADIENTS ? 0 : -1;
            most = Math.max(most, now);
        }
        return most;
    }

    /** Under ZB-H1 every stage keeps as many micro-batches as the first stage of 1f1b: p, of which s wait for their weight gradients. */
    @Test
    void microBatchesThatWaitForWeightGradients() {
        for (int stage = 0; stage < 4; stage++) {
            assertThat(underWay("zero-bubble", stage, 4, 8)).isEqualTo(4);
            assertThat(underWay("zero-bubble", stage, 4, 8, 2))
                    .isEqualTo(underWay("interleaved", stage, 4, 8, 2) + stage);
        }
    }

    /** A delayed weight gradient keeps the layer's saved tensors, and the gradients of the results of its GEMMs. */
    @Test
    void delayedWeightGradientsKeepWhatTheyRead() {
        long tokens = 2L * 512;
        ModelShape untied = new ModelShape(
                1024,
                8,
                ModelShape.Family.LLAMA,
                new Heads(16, 16, 64, false),
                4096,
                MixtureOfExperts.NONE,
                new ModelShape.Embeddings(51200, false, 0));
        StepPlan plain = fsdp2(untied, "1f1b");
        StepPlan delayed = fsdp2(untied, "zero-bubble");
        long ofLayer = activations(plain, 3) / 2;
        // Query, key, value, output, gate, up and down, in 16 bits.
        long gradients = 2 * tokens * (4 * 1024 + 2 * 4096 + 1024);
        for (int stage = 0; stage < 4; stage++) {
            assertThat(activations(plain, stage)).isEqualTo((4 - stage) * 2 * ofLayer);
            assertThat(activations(delayed, stage)).isEqualTo(4 * 2 * ofLayer);
        }
        long waiting = 0;
        long most = 0;
        for (StepPlan.MemoryChange change : delayed.memoryChanges()) {
            if (change.stage() == 2 && change.owner() == MemoryOwner.WORKING_SET) {
                waiting += change.bytes();
                most = Math.max(most, waiting);
            }
        }
        assertThat(waiting).isZero();
        long temporary = MemoryLedger.peakBytes(plain.memoryChanges(), Set.of(MemoryOwner.WORKING_SET), 2);
        // Two micro-batches wait, while the third goes back; its weights' gradients are accumulated afterwards.
        assertThat(most).isBetween(3 * 2 * gradients, 3 * 2 * gradients + temporary);
    }

    private static StepPlan fsdp2(ModelShape model, String schedule) {
        Map<String, Object> given =
                Map.of("pipeline_parallel", 4, "pipeline_schedule", schedule, "partition", "uniform");
        TrainingJob job = JobBuilder.job(model)
                .samples(512, 2, 8)
                .checkpointing(Checkpointing.NONE)
                .parallel(Strategies.of("fsdp2", given).modelParallel())
                .build();
        assertThat(Strategies.of("fsdp2", given).problems(job)).isEmpty();
        return Strategies.of("fsdp2", given).plan(job);
    }

    @Test
    void delayedWeightGradientsNeedAKindThatHasThem() {
        assertThat(problems(Map.of("pipeline_parallel", 4, "pipeline_schedule", "zero-bubble"), 8))
                .containsExactly(
                        "pipeline_schedule zero-bubble is modelled with fsdp2 (torchtitan); write 1f1b, or that kind");
    }

    /** docs/model.md: PyTorch splits no backward of a compiled stage. */
    @Test
    void delayedWeightGradientsNeedStagesThatAreNotCompiled() {
        ShardingStrategy strategy =
                Strategies.of("fsdp2", Map.of("pipeline_parallel", 4, "pipeline_schedule", "zero-bubble"));
        TrainingJob compiled = JobBuilder.job(MODEL)
                .ranks(8)
                .samples(1024, 1, 8)
                .kernels("torchtitan-compile")
                .parallel(strategy.modelParallel())
                .build();
        assertThat(strategy.problems(compiled))
                .extracting(Refusal::sentence)
                .contains("pipeline_schedule zero-bubble needs framework_profile without torch.compile, not"
                        + " torchtitan-compile; set it, or remove pipeline_schedule");
    }

    /** A stage's memory follows: the input of each of its layers for each micro-batch in flight. */
    @Test
    void stagesHoldTheActivationsOfTheirMicroBatches() {
        long input = 2L * 512 * 1024 * 2;
        StepPlan simple = plan(Map.of("pipeline_parallel", 4, "pipeline_schedule", "simple"), 8);
        StepPlan alternating = plan(Map.of("pipeline_parallel", 4), 8);
        for (int stage = 0; stage < 4; stage++) {
            assertThat(activations(simple, stage)).isEqualTo(8 * 2 * input);
            assertThat(activations(alternating, stage)).isEqualTo((4 - stage) * 2 * input);
        }
    }

    private static long activations(StepPlan plan, int stage) {
        return MemoryLedger.peakBytes(plan.memoryChanges(), Set.of(MemoryOwner.ACTIVATIONS), stage);
    }

    /** Every stage holds its own layers; the embedding lies on the first and, tied, once more on the last. */
    @Test
    void statesOfTheStagesAddUpToTheModelAndOneMoreEmbedding() {
        StepPlan plan = plan(Map.of("pipeline_parallel", 4), 4);
        long bytes = 0;
        for (int stage = 0; stage < 4; stage++) {
            bytes += MemoryLedger.peakBytes(plan.memoryChanges(), Set.of(MemoryOwner.PARAMETERS), stage);
        }
        assertThat(bytes).isEqualTo(2 * (MODEL.parameters() + 51200L * 1024));
    }

    /** Between two stages, a micro-batch sends the hidden state on and its gradient back; interleaving does so v times as often. */
    @Test
    void trafficBetweenStages() {
        long hidden = 2L * 512 * 1024 * 2;
        StepPlan plan = plan(Map.of("pipeline_parallel", 4), 8);
        assertThat(Strategies.bytes(plan, CollectiveKind.BROADCAST, "pass")).isEqualTo(8 * 3 * hidden);
        assertThat(Strategies.bytes(plan, CollectiveKind.BROADCAST_FROM_LAST, "pass"))
                .isEqualTo(8 * 3 * hidden);

        StepPlan interleaved =
                plan(Map.of("pipeline_parallel", 4, "pipeline_schedule", "interleaved", "model_chunks", 2), 8);
        long passed = Strategies.bytes(interleaved, CollectiveKind.BROADCAST, "pass")
                + Strategies.bytes(interleaved, CollectiveKind.BROADCAST_FROM_LAST, "pass");
        assertThat(passed).isEqualTo(8 * 2 * 7 * hidden);
    }

    /** A head that costs as much as several layers replaces as many on the last stage. */
    @Test
    void balancedCutMakesRoomForTheHead() {
        ModelShape wideVocabulary = ModelShape.gpt2(1024, 32, 16, 102400, 1024);
        PipelinePartition balanced =
                PipelinePartition.of(job(wideVocabulary, Map.of("pipeline_parallel", 4, "partition", "balanced"), 8));
        PipelinePartition uniform = PipelinePartition.of(job(wideVocabulary, Map.of("pipeline_parallel", 4), 8));

        assertThat(uniform.firstLayers()).containsExactly(0, 8, 16, 24, 32);
        assertThat(balanced.layers(3)).isLessThan(8);
        int sum = 0;
        for (int piece = 0; piece < 4; piece++) {
            sum += balanced.layers(piece);
        }
        assertThat(sum).isEqualTo(32);
        assertThat(balanced.explanation()).singleElement().asString().contains("balanced", "the head costs");
    }

    /** As in Megatron-Core's pipeline-model-parallel-layout. */
    @Test
    void cutAsListed() {
        Map<String, Object> listed = Map.of(
                "pipeline_parallel",
                2,
                "pipeline_schedule",
                "interleaved",
                "model_chunks",
                2,
                "partition",
                "1 + 2 x 3 + 1");
        PipelinePartition cut = PipelinePartition.of(job(MODEL, listed, 8));

        assertThat(cut.firstLayers()).containsExactly(0, 1, 4, 7, 8);
        assertThat(cut.explanation()).singleElement().asString().contains("partition 1 + 2 x 3 + 1");
        assertThat(problems(listed, 8)).isEmpty();
        assertThat(problems(Map.of("pipeline_parallel", 4, "partition", "3 x 2 + 1"), 8))
                .containsExactly("partition 3 x 2 + 1 gives 7 layers to 4 model chunks; give 8 to pipeline_parallel 4 "
                        + "x model_chunks 1 = 4");
        assertThat(problems(Map.of("pipeline_parallel", 4, "partition", "2 + 6"), 8))
                .singleElement()
                .asString()
                .startsWith("partition 2 + 6 gives 8 layers to 2 model chunks;");
        assertThat(problems(Map.of("pipeline_parallel", 4, "partition", "0 + 8"), 8))
                .containsExactly("partition 0 + 8 is not known; there are balanced, uniform, and the layers of each "
                        + "model chunk, such as 3 + 6 x 4 + 3");
    }

    /** No other partition has a cheaper costliest stage. */
    @Test
    void balancedCutIsTheBestThereIs() {
        for (int layers = 4; layers <= 12; layers++) {
            ModelShape model = ModelShape.gpt2(1024, layers, 16, 51200, 1024);
            PipelinePartition found =
                    PipelinePartition.of(job(model, Map.of("pipeline_parallel", 4, "partition", "balanced"), 8));
            double head = 3.0 * 2 * 51200 * 1024 / (4 * (24.0 * 1024 * 1024 + 4.0 * 512 * 1024));
            double best = Double.POSITIVE_INFINITY;
            for (int a = 1; a < layers; a++) {
                for (int b = 1; a + b < layers; b++) {
                    for (int c = 1; a + b + c < layers; c++) {
                        best = Math.min(best, Math.max(Math.max(a, b), Math.max(c, layers - a - b - c + head)));
                    }
                }
            }
            double costliest = found.layers(3) + head;
            for (int piece = 0; piece < 3; piece++) {
                costliest = Math.max(costliest, found.layers(piece));
            }
            assertThat(costliest).isEqualTo(best);
        }
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThat(problems(Map.of("tensor_parallel", 3), 8))
                .containsExactly(
                        "tensor_parallel 3 does not divide world size 16; nearest divisors: 2, 4",
                        "tensor_parallel 3 does not divide heads 16; nearest divisors: 2, 4");
        assertThat(problems(Map.of("tensor_parallel", 8, "pipeline_parallel", 4), 8))
                .containsExactly("tensor_parallel 8 x pipeline_parallel 4 = 32 does not divide world size 16;"
                        + " nearest divisor: 16");
        assertThat(problems(Map.of("pipeline_parallel", 16), 8))
                .containsExactly("pipeline_parallel 16 > 8 layers of the model; write 8 or less");
        assertThat(problems(Map.of("pipeline_parallel", 4, "pipeline_schedule", "interleaved", "model_chunks", 2), 6))
                .containsExactly(
                        "pipeline_schedule interleaved needs the 6 micro-batches of a rank to be a multiple of "
                                + "pipeline_parallel 4, as in Megatron-LM; change micro_batch or global_batch "
                                + "so that there are 4 or 8");
        assertThat(problems(Map.of("pipeline_parallel", 2, "model_chunks", 2), 8))
                .containsExactly("model_chunks 2 > 1 needs pipeline_schedule interleaved, not 1f1b");
        assertThat(problems(Map.of("sequence_parallel", true), 8)).hasSize(1);
        assertThat(problems(Map.of("pipeline_parallel", 2, "pipeline_schedule", "1b1f"), 8))
                .containsExactly(
                        "pipeline_schedule 1b1f is not known; there are 1f1b, interleaved, simple, zero-bubble");
    }

    /** Scatter and gather: a t-th of the activations crosses between stages (arXiv:2104.04473, section 4.1), and the t receivers gather them. */
    @Test
    void withoutScatterAndGatherEveryRankPassesAllOn() {
        Map<String, Object> split = Map.of("tensor_parallel", 4, "pipeline_parallel", 2);
        Map<String, Object> whole = Map.of("tensor_parallel", 4, "pipeline_parallel", 2, "scatter_gather", false);
        assertThat(Strategies.bytes(plan(whole, 4), CollectiveKind.BROADCAST, "pass activations on"))
                .isEqualTo(4 * Strategies.bytes(plan(split, 4), CollectiveKind.BROADCAST, "pass activations on"));
        assertThat(Strategies.bytes(plan(split, 4), CollectiveKind.ALL_GATHER, "gather what was passed"))
                .isPositive();
        assertThat(Strategies.bytes(plan(whole, 4), CollectiveKind.ALL_GATHER, "gather what was passed"))
                .isZero();
    }

    private static List<String> problems(Map<String, Object> given, int microBatches) {
        return Strategies.of("megatron", new HashMap<>(given)).problems(job(MODEL, given, microBatches)).stream()
                .map(Refusal::sentence)
                .toList();
    }

    /** Twice and three times as many micro-batches need no more memory, in any schedule that does not keep them all. */
    @ParameterizedTest
    @CsvSource({"1f1b,1,2", "1f1b,1,4", "1f1b,1,8", "interleaved,2,2", "interleaved,2,4", "interleaved,4,4"})
    void fewMicroBatchesShowThePeak(String schedule, int chunks, int stages) {
        ShardingStrategy strategy = Strategies.of(
                "megatron", Map.of("pipeline_parallel", stages, "pipeline_schedule", schedule, "model_chunks", chunks));
        TrainingJob many = JobBuilder.like(
                        Strategies.job(ModelShape.gpt2(7168, 48, 64, 50257, 2048), 32, 2048, 1, 6 * stages))
                .parallel(strategy.modelParallel())
                .build();
        int few = many.parallel().microBatchesToPeak(many.accumulationSteps());

        assertThat(few).isLessThan(many.accumulationSteps());
        assertThat(MemoryLedger.of(strategy.plan(many.withMicroBatch(1, few))).peakBytes())
                .isEqualTo(MemoryLedger.of(strategy.plan(many)).peakBytes());
    }
}
