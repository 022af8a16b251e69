package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transfers of activation offload, their timing, and the memory left on the GPU. */
class ActivationOffloadTest {
    private static final int LAYERS = 16;
    private static final int MICRO_BATCHES = 8;
    private static final ModelShape MODEL = ModelShape.gpt2(1024, LAYERS, 16, 51200, 1024);
    /** Saved bytes of a layer with full checkpointing: its 16-bit input. */
    private static final long INPUT_BYTES = 2L * 512 * 1024 * 2;

    private static TrainingJob job(String kind, Map<String, ?> given, Checkpointing checkpointing) {
        return JobBuilder.job(MODEL)
                .samples(512, 2, MICRO_BATCHES)
                .checkpointing(checkpointing)
                .offload(true)
                .parallel(Strategies.of(kind, given).modelParallel())
                .build();
    }

    private static StepPlan plan(String kind, Map<String, ?> given, boolean offload) {
        TrainingJob job = JobBuilder.like(job(kind, given, Checkpointing.FULL))
                .offload(offload)
                .build();
        assertThat(Strategies.of(kind, given).problems(job)).isEmpty();
        return Strategies.of(kind, given).plan(job);
    }

    private static List<Integer> operations(StepPlan plan, int stage, String label) {
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i).label().equals(label) && plan.runsOn(i, stage)) {
                found.add(i);
            }
        }
        return found;
    }

    @ParameterizedTest
    @CsvSource({"mics,1,1f1b,1", "fsdp,1,1f1b,1", "megatron,4,1f1b,1", "megatron,4,simple,1", "megatron,4,interleaved,2"
    })
    void everyLayerOfEveryMicroBatchGoesToTheHostAndComesBackOnce(
            String kind, int stages, String schedule, int chunks) {
        Map<String, Object> given = new HashMap<>();
        if (stages > 1) {
            given.putAll(Map.of("pipeline_parallel", stages, "pipeline_schedule", schedule, "model_chunks", chunks));
        }
        StepPlan plan = plan(kind, given, true);
        for (int stage = 0; stage < stages; stage++) {
            for (String label : List.of("store activations", "load activations")) {
                List<Integer> copies = operations(plan, stage, label);
                assertThat(copies).as(label).hasSize(LAYERS / stages * MICRO_BATCHES);
                assertThat(copies)
                        .allSatisfy(copy -> assertThat(((Operation.Compute) plan.operation(copy))
                                        .work()
                                        .amount())
                                .isEqualTo(INPUT_BYTES));
            }
        }
    }

    /** The n-th load waits for the backward that comes the horizon before its own, so that no more layers than that are loaded ahead. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void loadsKeepToTheirHorizon(int horizon) {
        for (int stages : new int[] {1, 2, 4}) {
            loadsKeepToTheirHorizon(stages, Map.of("pipeline_parallel", stages, "activation_loading_horizon", horizon));
        }
    }

    /** A backward of one model chunk may follow that of another, whose loads come first. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7})
    void loadsOfInterleavedChunksKeepToTheirHorizon(int horizon) {
        loadsKeepToTheirHorizon(
                2,
                Map.of(
                        "pipeline_parallel",
                        2,
                        "pipeline_schedule",
                        "interleaved",
                        "model_chunks",
                        2,
                        "activation_loading_horizon",
                        horizon));
    }

    private static void loadsKeepToTheirHorizon(int stages, Map<String, Object> given) {
        int horizon = (int) given.get("activation_loading_horizon");
        StepPlan plan = plan("megatron", given, true);
        for (int stage = 0; stage < stages; stage++) {
            List<Integer> loads = operations(plan, stage, "load activations");
            List<Integer> backwards = operations(plan, stage, "backward layer");
            assertThat(loads).hasSameSizeAs(backwards);
            for (int n = horizon; n < loads.size(); n++) {
                assertThat(plan.waitsFor(loads.get(n))).contains(backwards.get(n - horizon));
            }
        }
    }

    /** Without offload, a stage of the simple schedule keeps all micro-batches; with it, only two layers being stored and those loaded again. */
    @ParameterizedTest
    @CsvSource({"simple, 1", "simple, 2", "1f1b, 2"})
    void whatStaysOnTheGpuDoesNotGrowWithTheMicroBatches(String schedule, int horizon) {
        Map<String, Object> given =
                Map.of("pipeline_parallel", 2, "pipeline_schedule", schedule, "activation_loading_horizon", horizon);
        for (int stage = 0; stage < 2; stage++) {
            long kept = activations(plan("megatron", given, false), stage);
            int underWay = schedule.equals("simple") ? MICRO_BATCHES : 2 - stage;
            assertThat(kept).isEqualTo(underWay * (LAYERS / 2) * INPUT_BYTES);
            assertThat(activations(plan("megatron", given, true), stage))
                    .isBetween(2 * INPUT_BYTES, (2 + horizon) * INPUT_BYTES);
        }
    }

    private static long activations(StepPlan plan, int stage) {
        return MemoryLedger.peakBytes(plan.memoryChanges(), Set.of(MemoryOwner.ACTIVATIONS), stage);
    }

    /**
     * deepspeed/runtime/activation_checkpointing/checkpointing.py: CheckpointFunction copies by Tensor.to before it runs the layer, in both
     * directions.
     */
    @ParameterizedTest
    @ValueSource(strings = {"zero1", "zero2", "zero3", "zero3-0.11", "zeropp"})
    void layersOfDeepSpeedWaitForTheirCopies(String kind) {
        StepPlan plan = plan(kind, Map.of("pageable_store_rate", "2 GB/s", "pageable_load_rate", "8 GB/s"), true);
        List<Integer> stores = operations(plan, 0, "store activations");
        List<Integer> loads = operations(plan, 0, "load activations");
        List<Integer> forwards = operations(plan, 0, "forward layer");
        List<Integer> recomputations = operations(plan, 0, "recompute layer");
        assertThat(stores).hasSize(LAYERS * MICRO_BATCHES).hasSameSizeAs(loads);
        for (int n = 0; n < stores.size(); n++) {
            assertCopy(plan, stores.get(n), INPUT_BYTES * 500, forwards.get(n));
            assertCopy(plan, loads.get(n), INPUT_BYTES * 125, recomputations.get(n));
        }
        assertThat(activations(plan, 0)).isEqualTo(INPUT_BYTES);
    }

    private static void assertCopy(StepPlan plan, int copy, long picoseconds, int before) {
        Operation.Compute operation = (Operation.Compute) plan.operation(copy);
        assertThat(operation.stream()).isEqualTo(Stream.HOST);
        assertThat(operation.work().amount()).isEqualTo(picoseconds);
        assertThat(plan.waitsFor(before)).contains(copy);
        int computedBefore = before - 1;
        while (plan.operation(computedBefore).stream() != Stream.COMPUTE) {
            computedBefore--;
        }
        assertThat(plan.waitsFor(copy)).containsExactly(computedBefore);
    }

    /** ZeRO-3's hooks request a layer's parameters once its input has been copied. */
    @Test
    void hooksWaitForTheCopyOfTheirLayer() {
        StepPlan plan = plan("zero3", Map.of(), true);
        int forward = operations(plan, 0, "forward layer").get(LAYERS / 2);
        int copy = operations(plan, 0, "store activations").get(LAYERS / 2);
        int hooks = operations(plan, 0, "issue modules").stream()
                .filter(issued -> issued < forward)
                .reduce(0, Math::max);
        assertThat(hooks).isGreaterThan(copy);
    }

    /** Amazon SageMaker developer guide: no effect without activation checkpointing; the horizon must be above 0. */
    @Test
    void refusesWhatTheLibrariesRefuse() {
        for (String kind : List.of("mics", "zero1", "zero2", "zero3", "zeropp")) {
            assertThat(Strategies.of(kind, Map.of()).problems(job(kind, Map.of(), Checkpointing.NONE)))
                    .extracting(Refusal::sentence)
                    .containsExactly("activation_offload true with activation_checkpointing none: this library "
                            + "offloads checkpoints only; set activation_checkpointing: full, or remove "
                            + "activation_offload");
            assertThat(Strategies.of(kind, Map.of("offloads_checkpoints_only", false))
                            .problems(job(kind, Map.of(), Checkpointing.NONE)))
                    .isEmpty();
        }
        assertThat(Strategies.of("fsdp", Map.of()).problems(job("fsdp", Map.of(), Checkpointing.NONE)))
                .isEmpty();
        Map<String, Object> none = Map.of("activation_loading_horizon", 0);
        assertThat(Strategies.of("mics", none).problems(job("mics", none, Checkpointing.FULL)))
                .extracting(Refusal::sentence)
                .containsExactly("activation_loading_horizon 0 < 1; write 1 or more");
    }
}
