package io.shardsim.scenarios.keeping;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That points which are done do not run again, that nothing but the same point is taken for one, and that damage is run over. */
class KeepingRunnerTest {
    @TempDir
    Path report;

    private final List<ScenarioPoint> ran = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private List<ScenarioPoint> points;

    @BeforeEach
    void read() throws Exception {
        points = ScenarioReader.readText("a.yaml", """
                scenario: kept
                model: {hidden: 512, layers: 4, heads: 16, vocab: 32000}
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 256, global_batch: 16}
                strategy: {kind: zero3}
                sweep: {training.global_batch: [16, 32]}
                """).points();
    }

    private KeepingRunner runner(boolean resumes) {
        PointSimulation simulation = new PointSimulation(1, true);
        ScenarioRunner counted = new ScenarioRunner() {
            @Override
            public RunResult run(ScenarioPoint point) throws InterruptedException {
                ran.add(point);
                return simulation.run(point);
            }

            @Override
            public void close() {
                simulation.close();
            }
        };
        return new KeepingRunner(counted, Map.of("kept", new KeptPoints(report)), resumes, told::add);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(report.resolve(".points"))) {
            return files.sorted().toList();
        }
    }

    @Test
    void aPointThatIsDoneDoesNotRunAgain() throws Exception {
        RunResult first;
        try (KeepingRunner killed = runner(false)) {
            first = killed.run(points.get(0));
        }
        try (KeepingRunner again = runner(true)) {
            assertThat(again.run(points.get(0))).isEqualTo(first);
            again.run(points.get(1));
            assertThat(again.resumed()).isEqualTo(1);
        }
        assertThat(ran).isEqualTo(points);
        assertThat(told).isEmpty();
    }

    @Test
    void withoutResumingEveryPointRuns() throws Exception {
        try (KeepingRunner runner = runner(false)) {
            runner.run(points.get(0));
            runner.run(points.get(0));
        }
        assertThat(ran).hasSize(2);
    }

    @Test
    void aFileThatIsNotWholeIsRunOver() throws Exception {
        try (KeepingRunner runner = runner(true)) {
            runner.run(points.get(0));
            Path file = files().get(0);
            byte[] whole = Files.readAllBytes(file);
            byte[] flipped = whole.clone();
            flipped[flipped.length / 2] ^= 1;
            for (byte[] damaged : List.of(Arrays.copyOf(whole, whole.length / 2), flipped, new byte[0])) {
                Files.write(file, damaged);
                runner.run(points.get(0));
                assertThat(Files.readAllBytes(file).length).isGreaterThan(whole.length / 2);
            }
            assertThat(ran).hasSize(4);
            assertThat(runner.resumed()).isZero();
        }
    }

    @Test
    void aFolderThatCannotBeWrittenIsToldOnceAndTheRunGoesOn() throws Exception {
        Files.writeString(report.resolve(".points"), "a file where the folder belongs");
        try (KeepingRunner runner = runner(false)) {
            assertThat(runner.run(points.get(0)).fits()).isTrue();
            assertThat(runner.run(points.get(1)).fits()).isTrue();
        }
        assertThat(told).singleElement().asString().startsWith("finished points cannot be kept for --resume: ");
    }

    @Test
    void pointsAreForgottenOnceTheirReportIsWritten() throws Exception {
        try (KeepingRunner runner = runner(false)) {
            runner.run(points.get(0));
            runner.run(points.get(1));
        }
        assertThat(files()).hasSize(2);
        new KeptPoints(report).forget(points.subList(0, 1));
        assertThat(files()).hasSize(1);
        new KeptPoints(report).forget(points);
        assertThat(report.resolve(".points")).doesNotExist();
    }

    /** A run that is killed while it writes a point leaves a part of a file beside it. */
    @Test
    void whatAKilledRunLeftHalfWrittenGoesWithItsPoint() throws Exception {
        try (KeepingRunner runner = runner(false)) {
            runner.run(points.get(0));
        }
        String name = files().get(0).getFileName().toString().replace(".point", "");
        Files.writeString(report.resolve(".points").resolve(name + "-0.part"), "half");
        Files.writeString(report.resolve(".points").resolve("0123-0.part"), "half of another scenario's");

        new KeptPoints(report).forget(points);

        assertThat(files()).singleElement().asString().endsWith("0123-0.part");
    }
}
