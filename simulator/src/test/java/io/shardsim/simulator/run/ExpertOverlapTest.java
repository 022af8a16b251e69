package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.nccl.NcclTransportModel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.simulator.strategy.JobBuilder;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.StrategyCatalog;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Exchange of tokens with experts that overlaps with compute of another micro-batch. */
class ExpertOverlapTest {
    private static final int LAYERS = 8;
    private static final String OVERLAP = "overlap_expert_exchange";
    private static final ModelShape MODEL = new ModelShape(
            1024,
            LAYERS,
            Family.LLAMA,
            new Heads(16, 4, 64, false),
            2048,
            new MixtureOfExperts(new Experts(16, 4), 512, 0, 0, 1),
            new Embeddings(4096, false, 0));

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(3);

    static Stream<Map<String, Object>> splits() {
        return Stream.of(
                Map.of("expert_parallel", 16),
                Map.of("expert_parallel", 16, "expert_dispatcher", "deepep", "overlap_grad_reduce", true),
                Map.of("expert_parallel", 4, "tensor_parallel", 2, "sequence_parallel", true),
                Map.of(
                        "expert_parallel",
                        8,
                        "overlap_grad_reduce",
                        true,
                        "overlap_param_gather",
                        true,
                        "pipeline_parallel",
                        2,
                        "pipeline_schedule",
                        "interleaved",
                        "model_chunks",
                        2),
                Map.of(
                        "expert_parallel", 4,
                        "tensor_parallel", 2,
                        "sequence_parallel", true,
                        "pipeline_parallel", 4,
                        "pipeline_schedule", "interleaved",
                        "model_chunks", 2));
    }

    private static Map<String, Object> overlapping(Map<String, Object> split) {
        Map<String, Object> given = new HashMap<>(split);
        given.put(OVERLAP, true);
        return given;
    }

    private static TrainingJob job(Map<String, Object> given, int microBatches) {
        ShardingStrategy strategy = StrategyCatalog.load().create("megatron-core", given);
        return JobBuilder.job(MODEL)
                .ranks(16)
                .samples(1024, 1, microBatches)
                .dropout(false)
                .checkpointing(Checkpointing.NONE)
                .attention(AttentionKind.FLASH)
                .kernels(strategy.defaultKernels())
                .parallel(strategy.modelParallel())
                .build();
    }

    private static StepPlan plan(Map<String, Object> given, int microBatches) {
        return StrategyCatalog.load().create("megatron-core", given).plan(job(given, microBatches));
    }

    private static SimulationSetup setup(Map<String, Object> given, int microBatches, boolean skip, WorkTimes times) {
        assertThat(StrategyCatalog.load().create("megatron-core", given).problems(job(given, microBatches)))
                .isEmpty();
        return new SimulationSetup(
                Clusters.p4dOf(2),
                plan(given, microBatches),
                times,
                new NcclTransportModel(CollectiveCatalog.load().algorithms()),
                Map.of(),
                Shortcut.allIf(skip));
    }

    private static SimulationSetup setup(Map<String, Object> given, int microBatches, boolean skip) {
        TransformerWorkTimes times = new TransformerWorkTimes(
                job(given, microBatches), Clusters.p4dOf(2).instance());
        return setup(given, microBatches, skip, times);
    }

    /** The first forward's and the last backward's exchanges remain, so a step waits as long as one with a single micro-batch. */
    @Test
    void allButTheFirstForwardAndTheLastBackwardIsHidden() throws Exception {
        int microBatches = 6;
        Map<String, Object> split = Map.of("expert_parallel", 16);
        WorkTimes layersAlone = work -> switch (work.kind()) {
            case LAYER_FORWARD -> 40_000_000_000L;
            case LAYER_BACKWARD -> 60_000_000_000L;
            default -> 0L;
        };
        long exchanged = engine.run(setup(split, microBatches, true, work -> 0)).endPs();
        long blocking =
                engine.run(setup(split, microBatches, true, layersAlone)).endPs();
        StepObservation overlapped = engine.run(setup(overlapping(split), microBatches, true, layersAlone));

        long computed = blocking - exchanged;
        double ofOne = engine.run(setup(split, 1, true, work -> 0)).endPs();
        assertThat(exchanged).isGreaterThan((long) (2 * ofOne));
        // What is overlapped slows down the kernels that it shares the GPU with.
        long slowed = overlapped.ranks().get(0).slowdownPs();
        assertThat((double) overlapped.endPs() - slowed - computed).isCloseTo(ofOne, within(0.02 * ofOne));
        assertThat(slowed).isLessThan((exchanged - (long) ofOne) / 4);
    }

    @ParameterizedTest
    @MethodSource("splits")
    void sameWorkAndSameBytesInLessTime(Map<String, Object> split) throws Exception {
        assertThat(operations(plan(overlapping(split), 8))).isEqualTo(operations(plan(split, 8)));
        long overlapped = engine.run(setup(overlapping(split), 8, true)).endPs();
        long blocking = engine.run(setup(split, 8, true)).endPs();
        assertThat(overlapped).isLessThan(blocking);
    }

    private static List<String> operations(StepPlan plan) {
        List<String> operations = new ArrayList<>();
        for (int i = 0; i < plan.size(); i++) {
            Operation operation = plan.operation(i);
            operations.add(operation.toString());
            for (int wait : plan.waitsFor(i)) {
                assertThat(wait).isLessThan(i);
            }
        }
        operations.sort(Comparator.naturalOrder());
        return operations;
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("splits")
    void skippingAndSplittingChangeNothing(Map<String, Object> split) throws Exception {
        StepObservation all = engine.run(setup(overlapping(split), 16, false));
        StepObservation skipped = engine.run(setup(overlapping(split), 16, true));

        assertThat(skipped.digest()).isEqualTo(all.digest());
        assertThat(skipped.timeline()).isEqualTo(all.timeline());
        assertThat(skipped.simulatedEvents()).isEqualTo(all.executedEvents());
        assertThat(skipped.executedEvents()).isLessThan(all.executedEvents());
        assertThat(engine.run(setup(overlapping(split), 16, false), 2).digest()).isEqualTo(all.digest());
    }

    /** While one micro-batch goes back, the next takes its place layer by layer: the activations of one layer more. */
    @Test
    void aForwardTakesThePlaceOfTheBackward() {
        Map<String, Object> split = Map.of("expert_parallel", 16);
        long plain = activations(plan(split, 4));
        long overlapped = activations(plan(overlapping(split), 4));
        assertThat(overlapped).isBetween(plain + plain / LAYERS, plain + 2 * plain / LAYERS);
        Map<MemoryOwner, Long> left = new HashMap<>();
        for (StepPlan.MemoryChange change : plan(overlapping(split), 4).memoryChanges()) {
            left.merge(change.owner(), change.bytes(), Long::sum);
        }
        assertThat(left.get(MemoryOwner.ACTIVATIONS)).isZero();
    }

    private static long activations(StepPlan plan) {
        return MemoryLedger.peakBytes(plan.memoryChanges(), EnumSet.of(MemoryOwner.ACTIVATIONS), 0);
    }

    @Test
    void requiresWhatMegatronCoreRequires() {
        Map<String, Object> given =
                overlapping(Map.of("expert_parallel", 4, "expert_dispatcher", "allgather", "pipeline_parallel", 2));
        TrainingJob job = JobBuilder.like(job(given, 8))
                .checkpointing(Checkpointing.FULL)
                .offload(true)
                .build();
        assertThat(StrategyCatalog.load().create("megatron-core", given).problems(job))
                .extracting(Refusal::sentence)
                .containsExactlyInAnyOrder(
                        needs("expert_dispatcher alltoall or deepep, not allgather"),
                        needs("activation_checkpointing none or selective, not full"),
                        needs("activation_offload false, not true"),
                        needs("pipeline_schedule interleaved with pipeline_parallel 2, not 1f1b"));
    }

    private static String needs(String other) {
        return "overlap_expert_exchange true needs " + other + "; set it, or remove overlap_expert_exchange";
    }
}
