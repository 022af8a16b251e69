package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.nccl.NcclTransportModel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.strategy.JobBuilder;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.StrategyCatalog;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.topology.Cluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** For every strategy, skipping repetitions and equal nodes gives the totals of every rank, stream and link. */
class SkippingTest {
    private static final int LAYERS = 14;

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    static List<String> strategies() {
        return StrategyCatalog.load().kinds();
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("strategies")
    void givesWhatExecutingEverythingGives(String kind) throws Exception {
        sameWithAndWithoutSkipping(kind, LAYERS);
    }

    /** Layers that repeat in pairs, or hardly. */
    @ParameterizedTest
    @Tag("slow")
    @MethodSource("strategies")
    void givesItWhereLayersDiffer(String kind) throws Exception {
        sameWithAndWithoutSkipping(kind, LAYERS / 2);
        sameWithAndWithoutSkipping(kind, 3);
    }

    private static void sameWithAndWithoutSkipping(String kind, int checkpointedLayers) throws Exception {
        StepObservation all = run(kind, false, Map.of(), 4, checkpointedLayers);
        StepObservation skipped = run(kind, true, Map.of(), 4, checkpointedLayers);

        assertThat(skipped.digest()).isEqualTo(all.digest());
        assertThat(skipped.ranks()).isEqualTo(all.ranks());
        assertThat(skipped.links()).isEqualTo(all.links());
        assertThat(skipped.timeline()).isEqualTo(all.timeline());
        assertThat(skipped.simulatedEvents()).isEqualTo(all.simulatedEvents()).isEqualTo(all.executedEvents());
        assertThat(skipped.executedEvents()).isLessThan(all.executedEvents());
    }

    /** Layers are skipped within a micro-batch, and then whole micro-batches including these skips. */
    @ParameterizedTest
    @ValueSource(strings = {"zero3", "fsdp", "mics"})
    void moreMicroBatchesTakeHardlyMoreEvents(String kind) throws Exception {
        StepObservation some = run(kind, true, Map.of(), 8);
        StepObservation more = run(kind, true, Map.of(), 32);

        assertThat(more.simulatedEvents()).isGreaterThan(3 * some.simulatedEvents());
        assertThat(more.executedEvents()).isLessThan(some.executedEvents() * 11 / 10);
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("strategies")
    void staysExactWithAStraggler(String kind) throws Exception {
        Map<Integer, Long> straggler = Map.of(5, 1100L);
        StepObservation all = run(kind, false, straggler);
        StepObservation skipped = run(kind, true, straggler);

        assertThat(skipped.digest()).isEqualTo(all.digest());
        assertThat(skipped.endPs()).isGreaterThan(run(kind, true, Map.of()).endPs());
    }

    private static StepObservation run(String kind, boolean skip, Map<Integer, Long> durationPerMille)
            throws Exception {
        return run(kind, skip, durationPerMille, 4);
    }

    private static StepObservation run(
            String kind, boolean skip, Map<Integer, Long> durationPerMille, int accumulationSteps) throws Exception {
        return run(kind, skip, durationPerMille, accumulationSteps, LAYERS);
    }

    private static StepObservation run(
            String kind,
            boolean skip,
            Map<Integer, Long> durationPerMille,
            int accumulationSteps,
            int checkpointedLayers)
            throws Exception {
        Cluster cluster = Clusters.p4dOf(2);
        StrategyCatalog catalog = StrategyCatalog.load();
        Map<String, Object> given = new HashMap<>();
        if (kind.equals("mics")) {
            given.put("shard_group", 8);
        }
        ShardingStrategy strategy = catalog.create(kind, given);
        TrainingJob job = JobBuilder.job(ModelShape.gpt2(1024, LAYERS, 16, 50257, 1024))
                .ranks(cluster.worldSize())
                .samples(1024, 1, accumulationSteps)
                .checkpointedLayers(checkpointedLayers)
                .dropout(false)
                .kernels(strategy.defaultKernels())
                .build();
        assertThat(strategy.problems(job)).isEmpty();
        StepPlan plan = strategy.plan(job);
        return engine.run(new SimulationSetup(
                cluster,
                plan,
                new TransformerWorkTimes(job, cluster.instance()),
                new NcclTransportModel(CollectiveCatalog.load().algorithms()),
                durationPerMille,
                Shortcut.allIf(skip)));
    }
}
