package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.collective.nccl.NcclTransportModel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.simulator.strategy.JobBuilder;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.StrategyCatalog;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.PcieSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Bounds by theory: NVLink 300 GB/s, two NICs of 12.5 GB/s per node, PCIe 25 GB/s. The planner's tests check that no run beats them. */
class BoundsTest {
    private static final long MS = 1_000_000_000L;
    private static final Bandwidth FAST = new Bandwidth(1000 * Clusters.GB);
    private static final Transport RING =
            new Transport("test", 2, 1 << 20, 1, new Transport.Delays(1, 0, 0), Transport.Rates.all(FAST), 1, 1);

    private final StepPlan.Builder plan = StepPlan.builder();

    private static Cluster cluster(int nodes, int gpus, int switches) {
        return Clusters.cluster(
                nodes, gpus, new Bandwidth(300 * Clusters.GB), switches, new Bandwidth(12_500_000_000L));
    }

    private int compute(long ms, int... waits) {
        return plan.add(
                new Operation.Compute(Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, ms * MS), "kernel"), waits);
    }

    private int host(long ms, int... waits) {
        return plan.add(new Operation.Compute(Stream.HOST, new Work(Work.Kind.HOST_TIME, ms * MS), "host"), waits);
    }

    private int gather(Stream stream, RankGroups groups, long bytes, int... waits) {
        return plan.add(
                new Operation.Collective(stream, CollectiveKind.ALL_GATHER, groups, bytes, "ring", "gather"), waits);
    }

    private void copy(Work.Kind direction, long bytes) {
        plan.add(new Operation.Compute(Stream.COPY, new Work(direction, bytes), "copy"));
    }

    private double boundMs(Cluster cluster) {
        return StepBound.ps(new SimulationSetup(
                        cluster,
                        plan.build(),
                        Work::amount,
                        SimulationTest.transport(RING),
                        Map.of(),
                        Shortcut.allIf(false)))
                / (double) MS;
    }

    @Test
    void operationsKeepTheOrderOfTheirStreamAndWait() {
        int first = compute(100);
        int host = host(70, first);
        compute(50);
        assertThat(boundMs(cluster(1, 2, 2))).isEqualTo(170);
        compute(10, first, host);
        assertThat(boundMs(cluster(1, 2, 2))).isEqualTo(180);
        host(5);
        assertThat(boundMs(cluster(1, 2, 2))).as("ends earlier, and is last").isEqualTo(180);
    }

    /** 200 MB of two groups each: a node sends 200 MB at 25 GB/s, in any stream. */
    @Test
    void nicsCarryAllThatLeavesANode() {
        RankGroups across = new RankGroups("across", 4, 2, 2);
        gather(Stream.GATHER, across, 200_000_000);
        assertThat(boundMs(cluster(2, 2, 2))).isCloseTo(8, within(1e-6));
        gather(Stream.REDUCE, across, 200_000_000);
        assertThat(boundMs(cluster(2, 2, 2))).isCloseTo(16, within(1e-6));
        gather(Stream.EXPERT, new RankGroups("inside", 4, 2, 1), 600_000_000);
        assertThat(boundMs(cluster(2, 2, 2))).as("stays in its node").isCloseTo(16, within(1e-6));
    }

    /** The first stage sends nothing. */
    @Test
    void eachStageHasItsOwnBytes() {
        plan.stages(2).stage(1);
        gather(Stream.GATHER, new RankGroups("across", 8, 2, 2), 200_000_000);
        copy(Work.Kind.HOST_STORE, 25_000_000);
        assertThat(boundMs(cluster(4, 2, 2))).isCloseTo(8, within(1e-6));
        copy(Work.Kind.HOST_STORE, 275_000_000);
        assertThat(boundMs(cluster(4, 2, 2))).isCloseTo(12, within(1e-6));
    }

    @Test
    void linkToTheHostCarriesEachWayWhatItsGpusCopy() {
        copy(Work.Kind.HOST_STORE, 100_000_000);
        assertThat(boundMs(cluster(1, 4, 2))).as("two GPUs a switch").isCloseTo(8, within(1e-6));
        assertThat(boundMs(cluster(2, 4, 4))).as("one GPU a switch").isCloseTo(4, within(1e-6));
        copy(Work.Kind.HOST_STORE, 100_000_000);
        copy(Work.Kind.HOST_LOAD, 100_000_000);
        assertThat(boundMs(cluster(1, 4, 2))).as("more goes than comes").isCloseTo(16, within(1e-6));
        copy(Work.Kind.HOST_LOAD, 200_000_000);
        assertThat(boundMs(cluster(1, 4, 2))).as("more comes than goes").isCloseTo(24, within(1e-6));
    }

    /** A stage has two of the four GPUs behind one switch. */
    @Test
    void otherStagesDoNotCopy() {
        plan.stages(2).stage(1);
        copy(Work.Kind.HOST_LOAD, 100_000_000);
        assertThat(boundMs(cluster(1, 4, 1))).isCloseTo(8, within(1e-6));
        assertThat(boundMs(cluster(1, 4, 2))).isCloseTo(8, within(1e-6));
        assertThat(boundMs(cluster(1, 4, 4))).isCloseTo(4, within(1e-6));
    }

    /** Of six GPUs behind four switches, the first two share one, and the next two do not. */
    @Test
    void eachStageSharesItsOwnSwitches() {
        plan.stages(3).stage(1);
        copy(Work.Kind.HOST_LOAD, 100_000_000);
        assertThat(boundMs(cluster(1, 6, 4))).isCloseTo(4, within(1e-6));
    }

    /** 600 MB between two GPUs take 1 ms over NVLink. */
    @Test
    void stagesMeetInWhatTheyExchange() {
        plan.stages(2).stage(1);
        int busy = compute(30);
        plan.stage(0);
        int first = compute(100);
        compute(3, first);
        plan.between(0, 1);
        int sent = gather(Stream.PIPELINE_FORWARD, RankGroups.between(0, 1, 2, 4), 600_000_000, first, busy);
        plan.stage(1);
        compute(40, sent);
        assertThat(boundMs(cluster(1, 4, 4))).isCloseTo(141, within(1e-6));
    }

    /** A collective within one stage does not wait for the other stage. */
    @Test
    void stagesDoNotMeetInCollectivesOfEach() {
        plan.stages(2).stage(0);
        int late = compute(100);
        plan.stage(StepPlan.EVERY_STAGE);
        int each = gather(Stream.GATHER, new RankGroups("pairs", 4, 2, 1), 600_000_000, late);
        plan.stage(1);
        compute(50, each);
        assertThat(boundMs(cluster(1, 4, 4))).isCloseTo(101, within(1e-6));
    }

    private static final int LAYERS = 8;

    private static JobBuilder job(Map<String, Object> split, int microBatches) {
        ShardingStrategy strategy = StrategyCatalog.load().create("megatron-core", split);
        return JobBuilder.job(ModelShape.gpt2(1024, LAYERS, 16, 4096, 512))
                .ranks(16)
                .samples(512, 1, microBatches)
                .dropout(false)
                .kernels(strategy.defaultKernels())
                .parallel(strategy.modelParallel());
    }

    private static long forwardPs(TrainingJob job) {
        Segments segments = new Segments(job.model().operators());
        return times(job).ps(Work.of(segments.forward(Section.layer(0))));
    }

    private static long backwardPs(TrainingJob job) {
        Segments segments = new Segments(job.model().operators());
        return times(job).ps(Work.of(segments.backward(Section.layer(0))));
    }

    private static long againPs(TrainingJob job) {
        Segments segments = new Segments(job.model().operators());
        return times(job)
                .ps(Work.of(segments.recompute(
                        Section.layer(0), job.checkpointing(), job.profile().recomputeStopsEarly())));
    }

    private static WorkTimes times(TrainingJob job) {
        return new TransformerWorkTimes(job, Clusters.p4dOf(2));
    }

    private static long layersPs(TrainingJob job) {
        return LayersBound.ps(job, Clusters.p4dOf(2), layer -> 0);
    }

    @Test
    void layersComputeForEveryMicroBatch() {
        TrainingJob none = job(Map.of(), 3).checkpointing(Checkpointing.NONE).build();
        long bothPs = forwardPs(none) + backwardPs(none);
        assertThat(layersPs(none)).isEqualTo(3 * LAYERS * bothPs);
        TrainingJob full = job(Map.of(), 3).build();
        assertThat(againPs(full)).isPositive();
        assertThat(layersPs(full)).isEqualTo(3 * LAYERS * (bothPs + againPs(full)));
        TrainingJob some = job(Map.of(), 3).checkpointedLayers(5).build();
        assertThat(layersPs(some)).isEqualTo(3 * (LAYERS * bothPs + 5 * againPs(full)));
    }

    /** The last stage starts once a micro-batch has passed the others, and its gradients pass them back. */
    @ParameterizedTest
    @CsvSource({"1f1b, 1, 4", "simple, 1, 4", "interleaved, 2, 2"})
    void aMicroBatchPassesTheStagesBefore(String schedule, int chunks, int layersBefore) {
        TrainingJob job = job(Map.of("pipeline_parallel", 2, "pipeline_schedule", schedule, "model_chunks", chunks), 6)
                .build();
        long bothPs = forwardPs(job) + backwardPs(job);
        assertThat(layersPs(job)).isEqualTo(6 * 4 * (bothPs + againPs(job)) + layersBefore * bothPs);
    }

    @Test
    void offloadedActivationsCrossTheLinkToTheHost() {
        TrainingJob job = job(Map.of("pipeline_parallel", 2), 3).build();
        // Two GPUs of a stage share each of the switches: 0.5 GB/s.
        Cluster slow = Clusters.p4dOf(2, new PcieSpec(4, new Bandwidth(Clusters.GB / 2), 500_000));
        IntToLongFunction ofTheSecondStage = layer -> layer < 4 ? 1 : 1_000_000_000;
        assertThat(LayersBound.ps(job, slow, ofTheSecondStage)).isEqualTo(3 * 4 * 2 * 2 * 1_000_000_000_000L);
    }

    static java.util.stream.Stream<Arguments> splits() {
        return java.util.stream.Stream.of(
                Arguments.of(Map.of(), 0.95),
                Arguments.of(Map.of("context_parallel", 2), 0.9),
                Arguments.of(Map.of("context_parallel", 4), 0.9),
                Arguments.of(Map.of("pipeline_parallel", 2), 0.9),
                Arguments.of(Map.of("pipeline_parallel", 4), 0.9),
                Arguments.of(
                        Map.of("pipeline_parallel", 4, "pipeline_schedule", "interleaved", "model_chunks", 2), 0.9));
    }

    /** Apart from what both leave out, the cheap bound is close to that of the plan. */
    @ParameterizedTest
    @MethodSource("splits")
    void layersAreMostOfAPlanWithoutMuchElse(Map<String, Object> split, double share) {
        TrainingJob job = job(split, 8).attention(AttentionKind.FLASH).build();
        WorkTimes times = times(job);
        WorkTimes layersAlone = work -> switch (work.kind()) {
            case LAYER_FORWARD, LAYER_BACKWARD, LAYER_RECOMPUTE -> times.ps(work);
            default -> 0L;
        };
        long planPs = StepBound.ps(new SimulationSetup(
                Clusters.p4dOf(2),
                StrategyCatalog.load().create("megatron-core", split).plan(job),
                layersAlone,
                new NcclTransportModel(CollectiveCatalog.load().algorithms()),
                Map.of(),
                Shortcut.allIf(false)));
        assertThat(layersPs(job) / (double) planPs).isBetween(share, 1.0);
    }
}
