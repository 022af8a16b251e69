package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.nccl.NcclTransportModel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.strategy.JobBuilder;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.StrategyCatalog;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.topology.Cluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** For every strategy, any number of logical processes gives the same totals of every rank, stream and link as one. */
@Tag("slow")
class SplittingTest {
    private static final int[] PROCESSES = {2, 3, 8};
    private static SimulationEngine engine;

    @BeforeAll
    static void start() {
        engine = new SimulationEngine(16);
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    static List<String> strategies() {
        return StrategyCatalog.load().kinds();
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void anyNumberOfLogicalProcessesGivesTheSame(String kind) throws Exception {
        SimulationSetup setup = setup(kind, 8, Map.of(), false);
        StepObservation one = engine.run(setup);

        for (int processes : PROCESSES) {
            StepObservation several = engine.run(setup, processes);
            assertThat(several.digest()).as("%d logical processes", processes).isEqualTo(one.digest());
            assertThat(several.ranks()).isEqualTo(one.ranks());
            assertThat(several.links()).isEqualTo(one.links());
            assertThat(several.timeline()).isEqualTo(one.timeline());
            assertThat(several.executedEvents()).isEqualTo(one.executedEvents());
        }
        assertThat(engine.run(setup(kind, 8, Map.of(), true), 8).digest())
                .as("skipping in time takes one logical process")
                .isEqualTo(one.digest());
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void aStragglerChangesNothingAboutThat(String kind) throws Exception {
        SimulationSetup setup = setup(kind, 8, Map.of(45, 1300L), false);

        String one = engine.run(setup).digest();
        for (int processes : new int[] {2, 8}) {
            assertThat(engine.run(setup, processes).digest())
                    .as("%d logical processes", processes)
                    .isEqualTo(one);
        }
    }

    @Test
    void allLogicalProcessesTellHowFarTheyAre() throws Exception {
        // Each reports after 16,384 events of its own.
        long untoldMax = 1 << 14;
        for (int processes : new int[] {1, 3, 16}) {
            Assembly assembly = new Assembly(setup("zero3", 16, Map.of(), false), processes, null);

            LogicalProcess.Outcome outcome = engine.execute(assembly);

            assertThat(assembly.processes()).isEqualTo(processes);
            assertThat(outcome.executedEvents()).isGreaterThan(4 * processes * untoldMax);
            RunProgress told = assembly.progress();
            assertThat(told.events())
                    .isBetween(outcome.executedEvents() - processes * untoldMax, outcome.executedEvents());
            assertThat(told.nowPs()).isBetween(outcome.nowPs() / 2, outcome.nowPs());
            assertThat(told.eventsMax()).isGreaterThanOrEqualTo(outcome.executedEvents());
        }
    }

    private static SimulationSetup setup(String kind, int nodes, Map<Integer, Long> durationPerMille, boolean skip) {
        Cluster cluster = Clusters.p4dOf(nodes);
        Map<String, Object> given = new HashMap<>();
        if (kind.equals("mics")) {
            given.put("shard_group", 16);
        }
        ShardingStrategy strategy = StrategyCatalog.load().create(kind, given);
        TrainingJob job = JobBuilder.job(ModelShape.gpt2(256, 2, 8, 4096, 256))
                .ranks(cluster.worldSize())
                .samples(256, 1, 1)
                .dropout(false)
                .kernels(strategy.defaultKernels())
                .build();
        assertThat(strategy.problems(job)).isEmpty();
        return new SimulationSetup(
                cluster,
                strategy.plan(job),
                new TransformerWorkTimes(job, cluster.instance()),
                new NcclTransportModel(CollectiveCatalog.load().algorithms()),
                durationPerMille,
                Shortcut.allIf(skip));
    }
}
