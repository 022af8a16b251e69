package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.Names;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.StepBreakdown;
import io.shardsim.reports.replay.ReplayJson;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.simulator.run.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** For every scenario of the library, the overview of a step agrees with its result: shares of work, of each wait, and of idle time. */
@Tag("once")
@Tag("slow")
class OverviewTest {
    private static final PointSimulation SIMULATION = new PointSimulation(1, true);

    @AfterAll
    static void close() {
        SIMULATION.close();
    }

    static List<Path> library() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("library"))) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("library")
    void sharesAreThoseOfTheResult(Path file) throws Exception {
        DemoScenario scenario = DemoScenario.open(file.toString());
        FirstSides sides = new FirstSides(scenario.points(), PointSimulation::fits);
        Recorder recorder = new Recorder(0, 0);
        RunResult result = SIMULATION.run(scenario.points().get(sides.first()), recorder);
        if (result.training() == null) {
            return;
        }
        StepBreakdown breakdown = result.step().breakdown();
        Map<?, ?> outline = new ReplayJson(result, recorder.finish(breakdown.stepPs())).outline();
        Map<String, Double> expected = new TreeMap<>();
        breakdown.exposedPs().forEach((stream, ps) -> expected.put(Names.id(stream), (double) ps));
        expected.put("idle", (double) breakdown.idlePs());
        double waits = expected.values().stream().mapToDouble(ps -> ps).sum();
        expected.put("compute", breakdown.stepPs() - waits);
        Map<String, Double> drawn = means((List<?>) outline.get("overview"));
        assertThat(expected.keySet()).containsAll(drawn.keySet());
        expected.forEach((part, ps) ->
                assertThat(drawn.getOrDefault(part, 0.0)).as(part).isCloseTo(ps / breakdown.stepPs(), within(2e-4)));
    }

    /** Returns the mean over the GPUs of all stages. */
    private static Map<String, Double> means(List<?> rows) {
        double gpus = rows.stream().mapToDouble(row -> gpus((Map<?, ?>) row)).sum();
        Map<String, Double> means = new LinkedHashMap<>();
        for (Object row : rows) {
            ((Map<?, ?>) ((Map<?, ?>) row).get("shares"))
                    .forEach((part, shares) -> means.merge(
                            (String) part,
                            Arrays.stream((int[]) shares).average().orElse(0) / 10_000 * gpus((Map<?, ?>) row) / gpus,
                            Double::sum));
        }
        return means;
    }

    private static double gpus(Map<?, ?> row) {
        return (Double) row.get("gpus");
    }
}
