package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstanceFilesTest {
    private static final String SCENARIO = """
            scenario: a
            cluster: {instance: mine.yaml, nodes: 2}
            workload: {collective: all_gather, size: 1 MiB}
            """;
    private static final String MINE = """
            title: ours
            extends: p4d.24xlarge
            nic_effective: {value: 9 GB/s, from: measured}
            nccl_steps: {value: 1.5, from: measured}
            sources:
              measured: {source: "nccl-tests: a.log", date: 2026-11-28}
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("mine.yaml"), MINE);
        Files.writeString(folder.resolve("a.yaml"), SCENARIO);
    }

    private String scenario() {
        return folder.resolve("a.yaml").toString();
    }

    private Scenario read(String... values) throws InputException {
        return ScenarioReader.read(OpenedFile.file(scenario()), Overrides.of("--set", List.of(values)));
    }

    @Test
    void aFileBesideTheScenarioSaysWhatItsNodesReach() throws InputException {
        ScenarioPoint point = read().points().get(0);
        assertThat(point.cluster().instance().name()).isEqualTo("mine");
        assertThat(point.cluster().instance().gpusPerNode()).isEqualTo(8);
        assertThat(point.cluster().instance().nic().effectiveRate().bytesPerSecond())
                .isEqualTo(9_000_000_000L);
        assertThat(point.cluster().instance().network().steps()).isEqualTo(1.5);
        assertThat(point.figures())
                .filteredOn(figure -> figure.key().equals("mine nic_effective"))
                .extracting(figure -> figure.source() + ", " + figure.date())
                .containsExactly("nccl-tests: a.log, 2026-11-28");
    }

    @Test
    void latencyOfTheNicFollows() throws InputException {
        long known = read("cluster.instance=p4d.24xlarge")
                .points()
                .get(0)
                .cluster()
                .instance()
                .nic()
                .latencyPs();
        assertThat(read().points().get(0).cluster().instance().nic().latencyPs())
                .isEqualTo(known * 3 / 2);
    }

    @Test
    void collectivesBetweenNodesStartLater() throws InputException {
        assertThat(read("cluster.nccl_base=2")
                        .points()
                        .get(0)
                        .cluster()
                        .instance()
                        .network()
                        .base())
                .isEqualTo(2);
        assertThat(read().points().get(0).cluster().instance().network().base()).isEqualTo(1);
    }

    @Test
    void otherKeysOfTheClusterChangeIt() throws InputException {
        assertThat(read("cluster.nic_effective=8 GB/s", "cluster.nccl_steps=2")
                        .points()
                        .get(0)
                        .cluster()
                        .instance()
                        .nic()
                        .effectiveRate()
                        .bytesPerSecond())
                .isEqualTo(8_000_000_000L);
    }

    @Test
    void aSweepGoesOverFilesAndNames() throws InputException {
        assertThat(read("cluster.instance=[mine.yaml, p4d.24xlarge]").points())
                .extracting(point -> point.cluster().instance().name())
                .containsExactly("mine", "p4d.24xlarge");
    }

    /** Trials change the given values of a point, and workers have no file. */
    @Test
    void whatIsVariedNeedsNoFile() throws InputException, IOException {
        ScenarioPoint point = read().points().get(0);
        SweptFile swept = SweptFile.of(OpenedFile.file(scenario()), Overrides.NONE);
        Files.delete(folder.resolve("mine.yaml"));
        assertThat(point.with(Map.of("cluster.nodes", "4")).cluster().instance())
                .isEqualTo(point.cluster().instance());
        assertThat(swept.point(0, Map.of("cluster.nodes", "4")).cluster().instance())
                .isEqualTo(point.cluster().instance());
    }

    @Test
    void aScenarioDescribesAnInstanceItself() throws InputException {
        String text = SCENARIO.replace("mine.yaml", "ours") + "instances:\n  - name: ours\n    "
                + MINE.strip().replace("\n", "\n    ") + "\n";
        assertThat(ScenarioReader.readText("a.yaml", text)
                        .points()
                        .get(0)
                        .cluster()
                        .instance()
                        .network()
                        .steps())
                .isEqualTo(1.5);
    }

    @Test
    void aTextReadsNoFiles() {
        assertThatThrownBy(() -> ScenarioReader.readText("a.yaml", SCENARIO))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("instance mine.yaml is a file, and a scenario passed as text cannot read files");
    }

    @Test
    void allThatIsWrongWithAFileIsToldWhereItStands() throws IOException {
        Files.writeString(
                folder.resolve("mine.yaml"),
                MINE.replace("9 GB/s, from: measured", "9 apples, from: measured")
                        .replace("nccl_steps", "nccl_step"));
        assertThatThrownBy(this::read)
                .isInstanceOf(InputException.class)
                .hasMessageContaining("mine.yaml:3:24: nic_effective")
                .hasMessageContaining("mine.yaml:4:1: unknown key nccl_step; did you mean nccl_steps?");
        Files.delete(folder.resolve("mine.yaml"));
        assertThatThrownBy(this::read).hasMessageContaining("mine.yaml:1:1: no such file");
    }

    @Test
    void aKeyThatIsGivenTwiceIsTold() throws IOException {
        Files.writeString(folder.resolve("mine.yaml"), MINE + "title: twice\n");
        assertThatThrownBy(this::read).hasMessageContaining("mine.yaml:7:1: key title is given twice");
    }

    @Test
    void aFileThatExtendsNothingKnownIsRefused() throws IOException {
        Files.writeString(folder.resolve("mine.yaml"), MINE.replace("p4d.24xlarge", "p4d.42xlarge"));
        assertThatThrownBy(this::read).hasMessageContaining("extends p4d.42xlarge, which does not exist");
    }
}
