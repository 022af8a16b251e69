package io.shardsim.scenarios.keeping;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.Build;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.run.RunLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Finished points do not run again, only the same point counts as finished, and damaged files are ignored. */
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

    /** Files that a user, a sync tool or a backup renamed to another point. */
    @Test
    void aFileUnderTheNameOfAnotherPointIsNotTaken() throws Exception {
        try (KeepingRunner runner = runner(true)) {
            RunResult first = runner.run(points.get(0));
            RunResult second = runner.run(points.get(1));
            List<Path> files = files();
            Path aside = report.resolve("aside");
            Files.move(files.get(0), aside);
            Files.move(files.get(1), files.get(0));
            Files.move(aside, files.get(1));

            assertThat(runner.run(points.get(0)).digest()).isEqualTo(first.digest());
            assertThat(runner.run(points.get(1)).digest()).isEqualTo(second.digest());
            assertThat(runner.resumed()).isZero();
            assertThat(ran).hasSize(4);
        }
    }

    /** Bytes flipped, cut, doubled, swapped between files and replaced: the result is always that of the point. */
    @Test
    @Tag("slow")
    void noDamageChangesAResult() throws Exception {
        try (KeepingRunner runner = runner(true)) {
            List<RunResult> results = List.of(runner.run(points.get(0)), runner.run(points.get(1)));
            List<Path> files = files();
            List<byte[]> whole = List.of(Files.readAllBytes(files.get(0)), Files.readAllBytes(files.get(1)));
            KeptPoints kept = new KeptPoints(report);
            SplittableRandom random = new SplittableRandom(Long.getLong("kept.seed", 1));
            int taken = 0;
            for (int round = 0; round < Integer.getInteger("kept.rounds", 300); round++) {
                for (int i = 0; i < 2; i++) {
                    Files.write(files.get(i), damaged(whole.get(i), whole.get(1 - i), random));
                }
                for (int i = 0; i < 2; i++) {
                    RunResult found = kept.find(points.get(i)).orElse(null);
                    assertThat(found).as("round %d", round).isIn(null, results.get(i));
                    taken += found == null ? 0 : 1;
                }
            }
            assertThat(taken).as("results of files that were left as they are").isPositive();
        }
    }

    private static byte[] damaged(byte[] whole, byte[] other, SplittableRandom random) {
        byte[] bytes = whole.clone();
        switch (random.nextInt(6)) {
            case 0 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 2 -> bytes = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(64));
            case 3 -> bytes = other.clone();
            case 4 -> System.arraycopy(other, 0, bytes, 0, random.nextInt(1, Math.min(bytes.length, other.length)));
            default -> {}
        }
        return bytes;
    }

    @Test
    void aFolderThatCannotBeWrittenIsToldOnceAndTheRunGoesOn() throws Exception {
        Files.writeString(report.resolve(".points"), "a file where the folder belongs");
        try (KeepingRunner runner = runner(false)) {
            assertThat(runner.run(points.get(0)).fits()).isTrue();
            assertThat(told).hasSize(1);
            assertThat(runner.run(points.get(1)).fits()).isTrue();
        }
        assertThat(told).singleElement().asString().startsWith("cannot keep finished points for --resume: ");
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

    /** A run killed while it writes a point leaves a partial file. */
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

    @Test
    void whatWasAskedForIsForgottenAndOtherPointsStay() throws Exception {
        try (KeepingRunner earlier = runner(false)) {
            earlier.run(points.get(0));
        }
        try (KeepingRunner runner = runner(true)) {
            runner.run(points.get(1), RunLimits.NONE);
            assertThat(files()).hasSize(2);
            runner.forget();
        }
        KeptPoints kept = new KeptPoints(report);
        assertThat(kept.find(points.get(0))).isPresent();
        assertThat(kept.find(points.get(1))).isEmpty();
    }

    @Test
    void knowsWhetherAnythingIsKept() throws Exception {
        KeptPoints kept = new KeptPoints(report);
        assertThat(kept.any()).isFalse();
        Files.createDirectory(report.resolve(".points"));
        Files.writeString(report.resolve(".points").resolve("0123-0.part"), "half");
        assertThat(kept.any()).isFalse();
        try (KeepingRunner runner = runner(false)) {
            runner.run(points.get(0));
        }
        assertThat(kept.any()).isTrue();
    }

    /** Another build may give another result. */
    @Test
    void aPointIsNamedByItsBuildAndAllThatItSays() throws Exception {
        try (KeepingRunner runner = runner(false)) {
            runner.run(points.get(0));
        }
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        sha.update(Build.current().toString().getBytes(StandardCharsets.UTF_8));
        sha.update(new WireCodec(List.of(ScenarioPoint.class, KeptPoints.Kept.class)).encode(points.get(0)));
        assertThat(files())
                .containsExactly(
                        report.resolve(".points").resolve(HexFormat.of().formatHex(sha.digest(), 0, 16) + ".point"));
    }
}
