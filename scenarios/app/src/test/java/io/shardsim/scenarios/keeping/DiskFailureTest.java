package io.shardsim.scenarios.keeping;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.keeping.FailingDisk.Fault;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failure of any disk operation leaves no partial file, and earlier files are still there. */
class DiskFailureTest {
    private static final List<String> NAMES = List.of("report.html", "results.csv", "results.json");
    /** Exceeds a buffer, so that a file is written in several pieces. */
    private static final String BEFORE = "before".repeat(5000);

    private static final String AFTER = "after".repeat(7000);

    @TempDir
    Path folder;

    private interface Writing {
        void write(Path folder) throws IOException;
    }

    /** Whether the operation was reached, and its outcome. */
    private boolean failsAt(Fault fault, int operation, Writing writing) throws IOException {
        Path seen = FailingDisk.seen(folder, fault, operation);
        try {
            writing.write(seen);
        } catch (IOException | FailingDisk.Killed failure) {
            assertThat(FailingDisk.hasFailed(seen)).as("failed by itself").isTrue();
        }
        return FailingDisk.hasFailed(seen);
    }

    private Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return files;
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void everyFileOfAReportIsWhole(Fault fault) throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        NAMES.forEach(name -> texts.put(name, AFTER));
        int operation = 1;
        int replaced = 0;
        while (true) {
            for (String name : NAMES) {
                Files.writeString(folder.resolve(name), BEFORE);
            }
            if (!failsAt(fault, operation, seen -> WholeFiles.write(seen, texts))) {
                break;
            }
            Map<String, String> files = files();
            assertThat(NAMES)
                    .as("operation %d", operation)
                    .allSatisfy(name -> assertThat(files.get(name)).isIn(BEFORE, AFTER));
            int now = (int)
                    NAMES.stream().filter(name -> files.get(name).equals(AFTER)).count();
            assertThat(now).as("operation %d", operation).isGreaterThanOrEqualTo(replaced);
            replaced = now;
            clear();
            operation++;
        }
        // Each file is opened, written in several pieces, synced and renamed.
        assertThat(operation).isGreaterThan(NAMES.size() * 4);
        assertThat(files()).containsEntry("results.json", AFTER);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void aPointIsKeptWholeOrNotAtAll(Fault fault) throws Exception {
        ScenarioPoint point = ScenarioReader.readText("a.yaml", """
                scenario: kept
                cluster: {instance: p4d.24xlarge, nodes: 2}
                workload: {collective: all_reduce, size: 1 MiB}
                """).points().get(0);
        RunResult result;
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            result = simulation.run(point);
        }
        int operation = 1;
        while (failsAt(fault, operation, seen -> new KeptPoints(seen).keep(point, result))) {
            assertThat(new KeptPoints(folder).find(point)).isIn(Optional.empty(), Optional.of(result));
            new KeptPoints(folder).forget(List.of(point));
            assertThat(folder.resolve(".points")).doesNotExist();
            operation++;
        }
        assertThat(operation).isGreaterThan(3);
        assertThat(new KeptPoints(folder).find(point)).contains(result);
    }

    /** Files left by a killed run. */
    private void clear() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.toList()) {
                Files.delete(file);
            }
        }
    }
}
