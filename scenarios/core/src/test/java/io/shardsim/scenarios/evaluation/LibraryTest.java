package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.catalog.Library;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.StrategySpec;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.job.ActivationPolicy;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.topology.Cluster;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs every scenario of the library, reduced to two nodes, four layers and short samples, with its strategies and collectives unchanged. */
class LibraryTest {
    private static final int NODES = 2;
    private static final int LAYERS = 4;
    private static final int SEQUENCE = 256;
    private static final long COLLECTIVE_BYTES = 8L << 20;

    private static PointSimulation simulation;

    @BeforeAll
    static void start() {
        simulation = new PointSimulation(new RunOptions(1, true).running(RunOptions.TooLarge.SIMULATED));
    }

    @AfterAll
    static void stop() {
        simulation.close();
    }

    static List<String> names() {
        return Library.names();
    }

    private static Scenario read(String name) throws Exception {
        return ScenarioReader.read(Path.of("library", name + ".yaml").toString());
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("names")
    void runsSmall(String name) throws Exception {
        Set<Object> asked = new LinkedHashSet<>();
        for (ScenarioPoint point : read(name).points()) {
            ScenarioPoint small = small(point);
            if (asked.add(List.of(small.cluster(), small.task(), small.collectives()))) {
                RunResult result = simulation.run(small);
                assertThat(result.fits()).as(name + " " + point.values()).isTrue();
                assertThat(result.effort().simulatedEvents()).isPositive();
            }
        }
        assertThat(asked).isNotEmpty();
    }

    /** The library covers every strategy and both collective libraries. */
    @Test
    void everyStrategyAndCollectiveLibraryHasAScenario() throws Exception {
        Set<String> strategies = new LinkedHashSet<>();
        Set<String> libraries = new LinkedHashSet<>();
        for (String name : Library.names()) {
            for (ScenarioPoint point : read(name).points()) {
                libraries.add(point.collectives().library());
                if (point.task() instanceof Task.Training training) {
                    strategies.add(training.strategy().kind());
                }
            }
        }
        assertThat(strategies).containsAll(Strategies.kinds());
        assertThat(libraries).contains("nccl", "smddp");
    }

    @Test
    void theCatalogTellsWhatEachAsksAndWhereItsFiguresComeFrom() {
        for (String name : Library.names()) {
            assertThat(String.join(" ", Library.comment(name))).as(name).containsIgnoringCase("look at");
            assertThat(Library.comment(name).get(0)).as(name).hasSizeGreaterThan(40);
        }
    }

    private static ScenarioPoint small(ScenarioPoint point) {
        int nodes = Math.min(NODES, point.cluster().nodes());
        Cluster cluster = new Cluster(point.cluster().instance(), nodes);
        Task task = point.task() instanceof Task.Training training
                ? small(training, cluster)
                : new Task.Collective(((Task.Collective) point.task()).kind(), COLLECTIVE_BYTES);
        return new ScenarioPoint(
                point.scenario(),
                Map.of(),
                cluster,
                task,
                point.collectives(),
                point.notes(),
                point.figures(),
                point.given());
    }

    private static Task.Training small(Task.Training task, Cluster cluster) {
        Map<String, String> given = new LinkedHashMap<>(task.strategy().given());
        given.computeIfPresent("pipeline_parallel", (key, value) -> String.valueOf(NODES));
        ModelParallel split =
                new StrategySpec(task.strategy().descriptor(), given).create().modelParallel();
        int replicas = cluster.worldSize() / split.ranks();
        given.computeIfPresent(
                StrategyDescriptor.SHARD_GROUP,
                (key, value) -> String.valueOf(Math.min(Integer.parseInt(value), replicas)));
        StrategySpec strategy = new StrategySpec(task.strategy().descriptor(), given);
        Task.Learning learning = task.learning();
        ActivationPolicy kept = task.execution().kept();
        boolean convolved = task.model().image().isConvolved();
        ModelShape model = convolved ? task.model() : task.model().withLayers(LAYERS);
        return new Task.Training(
                task.modelName(),
                model,
                new Task.Learning(
                        convolved ? learning.sequenceLength() : SEQUENCE,
                        2L * NODES * replicas,
                        learning.precision(),
                        learning.dropout(),
                        learning.gradientClipping(),
                        learning.optimizer(),
                        learning.fp8Recipe()),
                new Task.Execution(
                        1,
                        kept.withCheckpoints(
                                kept.checkpointing(),
                                kept.checkpointedLayers()
                                        * model.layers()
                                        / task.model().layers()),
                        task.execution().attention(),
                        task.execution().kernels(),
                        task.execution().graphs()),
                strategy,
                task.surroundings());
    }
}
