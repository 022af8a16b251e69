package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.nccl.NcclTransportModel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.simulator.strategy.JobBuilder;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.StrategyCatalog;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Segment.Portion;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.PcieSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tensor and pipeline parallelism on simulated devices: exact with every shortcut, and as long as theory says. */
class ModelParallelRunTest {
    private static final int LAYERS = 8;
    private static SimulationEngine engine;

    @BeforeAll
    static void start() {
        engine = new SimulationEngine(3);
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    static Stream<Arguments> splits() {
        return Stream.of(
                Arguments.of("megatron", Map.of("tensor_parallel", 2)),
                Arguments.of("megatron", Map.of("tensor_parallel", 4, "sequence_parallel", true)),
                Arguments.of("megatron", Map.of("tensor_parallel", 16)),
                Arguments.of("megatron", Map.of("tensor_parallel", 8, "async_tensor_all_reduce", false)),
                Arguments.of("megatron", Map.of("pipeline_parallel", 4)),
                Arguments.of("megatron", Map.of("pipeline_parallel", 2, "pipeline_schedule", "simple")),
                Arguments.of("megatron", Map.of("pipeline_parallel", 8, "tensor_parallel", 2)),
                Arguments.of(
                        "megatron",
                        Map.of(
                                "pipeline_parallel", 2,
                                "pipeline_schedule", "interleaved",
                                "model_chunks", 2,
                                "tensor_parallel", 4,
                                "sequence_parallel", true)),
                Arguments.of("megatron-core", Map.of("pipeline_parallel", 2, "tensor_parallel", 2)),
                Arguments.of("megatron-core", overlapping(Map.of("tensor_parallel", 2))),
                Arguments.of("megatron-core", overlapping(Map.of("pipeline_parallel", 4))),
                Arguments.of(
                        "megatron-core",
                        overlapping(
                                Map.of("pipeline_parallel", 2, "pipeline_schedule", "interleaved", "model_chunks", 4))),
                Arguments.of("fsdp2", Map.of("pipeline_parallel", 4, "pipeline_schedule", "zero-bubble")),
                Arguments.of(
                        "fsdp2",
                        Map.of(
                                "pipeline_parallel", 2,
                                "pipeline_schedule", "zero-bubble",
                                "model_chunks", 2,
                                "tensor_parallel", 2)),
                Arguments.of("ddp", Map.of("pipeline_parallel", 4)),
                Arguments.of("zero1", Map.of("pipeline_parallel", 2, "tensor_parallel", 2)),
                Arguments.of("zero2", Map.of("tensor_parallel", 4)),
                Arguments.of("zero3", Map.of("tensor_parallel", 2)),
                Arguments.of("mics", Map.of("tensor_parallel", 2, "shard_group", 4)),
                Arguments.of("mics", Map.of("tensor_parallel", 4, "shard_group", 4)),
                Arguments.of("fsdp", Map.of("tensor_parallel", 8)));
    }

    /** Megatron-Core with both overlaps and several buckets. */
    private static Map<String, Object> overlapping(Map<String, Object> split) {
        Map<String, Object> given = new HashMap<>(split);
        given.put("overlap_grad_reduce", true);
        given.put("overlap_param_gather", true);
        given.put("bucket_size", 5_000_000);
        return given;
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("splits")
    void skippingAndSplittingChangeNothing(String kind, Map<String, Object> given) throws Exception {
        StepObservation all = engine.run(setup(kind, given, 12, false, Map.of()));
        StepObservation skipped = engine.run(setup(kind, given, 12, true, Map.of()));
        StepObservation split = engine.run(setup(kind, given, 12, false, Map.of()), 2);

        assertThat(skipped.digest()).isEqualTo(all.digest());
        assertThat(skipped.ranks()).isEqualTo(all.ranks());
        assertThat(skipped.links()).isEqualTo(all.links());
        assertThat(skipped.timeline()).isEqualTo(all.timeline());
        assertThat(skipped.simulatedEvents()).isEqualTo(all.executedEvents());
        assertThat(split.digest()).isEqualTo(all.digest());
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("splits")
    void aStragglerSlowsTheOthersAndStaysExact(String kind, Map<String, Object> given) throws Exception {
        Map<Integer, Long> straggler = Map.of(5, 1300L);
        StepObservation all = engine.run(setup(kind, given, 4, false, straggler));

        assertThat(engine.run(setup(kind, given, 4, true, straggler)).digest()).isEqualTo(all.digest());
        assertThat(all.endPs())
                .isGreaterThan(engine.run(setup(kind, given, 4, true, Map.of())).endPs());
    }

    /** An overlapped all-reduce saves at most its own time, and the GEMM that hides it loses SMs to it. */
    @Test
    void anAllReduceBesideAProductHidesBehindIt() throws Exception {
        StepObservation beside = engine.run(setup("megatron", Map.of("tensor_parallel", 8), 4, true, Map.of()));
        StepObservation after = engine.run(
                setup("megatron", Map.of("tensor_parallel", 8, "async_tensor_all_reduce", false), 4, true, Map.of()));

        assertThat(beside.endPs()).isLessThan(after.endPs());
        assertThat(beside.ranks().get(0).slowdownPs())
                .isGreaterThan(after.ranks().get(0).slowdownPs());
    }

    /** Overlap with compute shortens a step. */
    @ParameterizedTest
    @CsvSource({"1, 1f1b, 1", "2, interleaved, 4"})
    void overlapOfMegatronCoreHidesWhatItMoves(int stages, String schedule, int chunks) throws Exception {
        Map<String, Object> split =
                Map.of("pipeline_parallel", stages, "pipeline_schedule", schedule, "model_chunks", chunks);
        Map<String, Object> both = overlapping(split);
        Map<String, Object> reduceAlone = new HashMap<>(both);
        reduceAlone.remove("overlap_param_gather");
        StepObservation none = engine.run(setup("megatron-core", split, 4, true, Map.of()));
        StepObservation one = engine.run(setup("megatron-core", reduceAlone, 4, true, Map.of()));
        StepObservation two = engine.run(setup("megatron-core", both, 4, true, Map.of()));

        assertThat(one.endPs()).isLessThan(none.endPs());
        assertThat(two.endPs()).isLessThan(one.endPs());
    }

    /** Copies to and from the host are part of what repeats, and of the waits if the horizon is too short. */
    @Test
    void offloadedActivationsStayExactAndTheirHorizonCounts() throws Exception {
        long[] ends = new long[2];
        for (int near = 0; near < 2; near++) {
            Map<String, Object> given = Map.of("pipeline_parallel", 2, "activation_loading_horizon", near == 0 ? 3 : 1);
            StepObservation all = engine.run(offloaded(given, false));
            StepObservation skipped = engine.run(offloaded(given, true));
            assertThat(skipped.digest()).isEqualTo(all.digest());
            assertThat(engine.run(offloaded(given, false), 2).digest()).isEqualTo(all.digest());
            ends[near] = all.endPs();
        }
        assertThat(ends[1]).isGreaterThan(ends[0]);
        assertThat(ends[0])
                .isGreaterThanOrEqualTo(
                        engine.run(setup("megatron", Map.of("pipeline_parallel", 2), 12, false, Map.of()))
                                .endPs());
    }

    private static SimulationSetup offloaded(Map<String, Object> given, boolean skip) {
        TrainingJob job =
                JobBuilder.like(job("megatron", given, 12)).offload(true).build();
        // So slow that loads of one layer take longer than its backward.
        Cluster cluster = Clusters.p4dOf(2, new PcieSpec(4, new Bandwidth(Clusters.GB / 2), 500_000));
        return new SimulationSetup(
                cluster,
                StrategyCatalog.load().create("megatron", given).plan(job),
                new TransformerWorkTimes(job, cluster.instance()),
                new NcclTransportModel(CollectiveCatalog.load().algorithms()),
                Map.of(),
                Shortcut.allIf(skip));
    }

    /** Evenly spaced micro-batches are skipped; otherwise a long pipeline would take time in proportion to its micro-batches. */
    @Test
    void aFilledPipelineIsSkipped() throws Exception {
        Map<String, Object> given = Map.of("pipeline_parallel", 2);
        StepObservation skipped = engine.run(setup("megatron", given, 64, true, Map.of()));

        assertThat(skipped.executedEvents()).isLessThan(skipped.simulatedEvents() / 2);
    }

    /** With p equal stages and m micro-batches, (p - 1) / m of the ideal time is lost (arXiv:2104.04473, section 2.2.1). */
    @ParameterizedTest
    @MethodSource("bubbles")
    void bubbleIsAsTheorySays(String schedule, int stages, int chunks, int microBatches) throws Exception {
        Map<String, Object> given = Map.of(
                "pipeline_parallel",
                stages,
                "pipeline_schedule",
                schedule,
                "model_chunks",
                chunks,
                "partition",
                "uniform");
        WorkTimes layersAlone = work -> switch (work.kind()) {
            case LAYER_FORWARD -> 100_000_000_000L;
            case LAYER_BACKWARD -> 200_000_000_000L;
            default -> 0L;
        };
        StepObservation observed = engine.run(setup("megatron", given, microBatches, true, Map.of(), layersAlone));

        double ideal = 0.3 * LAYERS / stages * microBatches;
        double bubble = (stages - 1.0) / (microBatches * chunks);
        assertThat(observed.endPs() * 1e-12 / ideal - 1).isCloseTo(bubble, within(0.03 * bubble));
    }

    /**
     * Zero bubble loses (p - 1) (F + I - W) (arXiv:2401.10241, table 2): the weight gradients W of a layer fill the bubble, its forward F and its input
     * gradients I remain.
     */
    @ParameterizedTest
    @CsvSource({"2, 8, 120, 80", "4, 8, 100, 100", "4, 12, 120, 80", "8, 16, 130, 70"})
    void weightGradientsFillTheBubble(int stages, int microBatches, long inputMs, long weightMs) throws Exception {
        Map<String, Object> given =
                Map.of("pipeline_parallel", stages, "pipeline_schedule", "zero-bubble", "partition", "uniform");
        WorkTimes layersAlone = work -> switch (work.kind()) {
            case LAYER_FORWARD -> 100_000_000_000L;
            case LAYER_BACKWARD ->
                1_000_000_000L
                        * (work.segment().pieces().stream()
                                        .allMatch(piece -> piece.portion() == Portion.WEIGHT_GRADIENT)
                                ? weightMs
                                : inputMs);
            default -> 0L;
        };
        StepObservation observed = engine.run(setup("fsdp2", given, microBatches, true, Map.of(), layersAlone));

        double layers = (double) LAYERS / stages;
        double ideal = layers * microBatches * (0.1 + (inputMs + weightMs) * 1e-3);
        double bubble = layers * (stages - 1) * (0.1 + (inputMs - weightMs) * 1e-3);
        assertThat(observed.endPs() * 1e-12 - ideal).isCloseTo(bubble, within(0.03 * bubble));
    }

    static Stream<Arguments> bubbles() {
        return Stream.of(
                Arguments.of("simple", 4, 1, 8),
                Arguments.of("simple", 8, 1, 16),
                Arguments.of("1f1b", 4, 1, 8),
                Arguments.of("1f1b", 8, 1, 32),
                Arguments.of("interleaved", 4, 2, 8),
                Arguments.of("interleaved", 2, 4, 8));
    }

    private static SimulationSetup setup(
            String kind,
            Map<String, Object> given,
            int microBatches,
            boolean skip,
            Map<Integer, Long> durationPerMille) {
        TrainingJob job = job(kind, given, microBatches);
        return setup(
                kind,
                given,
                microBatches,
                skip,
                durationPerMille,
                new TransformerWorkTimes(job, Clusters.p4dOf(2).instance()));
    }

    private static SimulationSetup setup(
            String kind,
            Map<String, Object> given,
            int microBatches,
            boolean skip,
            Map<Integer, Long> durationPerMille,
            WorkTimes workPs) {
        TrainingJob job = job(kind, given, microBatches);
        ShardingStrategy strategy = StrategyCatalog.load().create(kind, given);
        assertThat(strategy.problems(job)).isEmpty();
        return new SimulationSetup(
                Clusters.p4dOf(2),
                strategy.plan(job),
                workPs,
                new NcclTransportModel(CollectiveCatalog.load().algorithms()),
                durationPerMille,
                Shortcut.allIf(skip));
    }

    private static TrainingJob job(String kind, Map<String, Object> given, int microBatches) {
        ShardingStrategy strategy = StrategyCatalog.load().create(kind, given);
        ModelShape tied = ModelShape.gpt2(1024, LAYERS, 16, 4096, 512);
        // FSDP2 has no tied embeddings in a pipeline.
        ModelShape untied = new ModelShape(
                1024,
                LAYERS,
                ModelShape.Family.LLAMA,
                new Heads(16, 16, 64, false),
                4096,
                MixtureOfExperts.NONE,
                new ModelShape.Embeddings(4096, false, 0));
        return JobBuilder.job(kind.equals("fsdp2") ? untied : tied)
                .ranks(16)
                .samples(512, 1, microBatches)
                .dropout(false)
                .kernels(strategy.defaultKernels())
                .parallel(strategy.modelParallel())
                .build();
    }
}
