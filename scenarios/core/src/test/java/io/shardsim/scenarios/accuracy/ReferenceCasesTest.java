package io.shardsim.scenarios.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.reports.validation.Metric;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReferenceCasesTest {
    private static final String CASE = """
              - id: smp-30b-2048
                source: AWS Machine Learning Blog, 2022-10-31, benchmark table
                role: validation
                note: micro-batch assumed
                scenario:
                  scenario: smp
                  model: gpt2-30b
                  cluster: {instance: p4d.24xlarge, nodes: 32}
                  training: {sequence_length: 2048, global_batch: 1536}
                  strategy: {kind: mics, shard_group: 128}
                measured: {samples_per_second: 73.52}
            """;

    private static List<ReferenceCase> read(String text) throws InputException {
        return ReferenceCases.readText("some/cases.yaml", text);
    }

    private static void refuses(String text, String... messages) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(InputException.class).hasMessageContainingAll(messages);
    }

    @Test
    void aCaseIsReadWithItsScenario() throws InputException {
        ReferenceCase one = read("cases:\n" + CASE).get(0);
        assertThat(one.id()).isEqualTo("smp-30b-2048");
        assertThat(one.family()).isEqualTo("cases");
        assertThat(one.confidence()).isEqualTo("high");
        assertThat(one.measured()).isEqualTo(Map.of(Metric.SAMPLES_PER_SECOND, 73.52));
        assertThat(one.point().cluster().worldSize()).isEqualTo(256);
        assertThat(((Task.Training) one.point().task()).strategy().kind()).isEqualTo("mics");
    }

    /** Parallelism and checkpointing stay; settings of the code follow from the framework. */
    @Test
    void aFrameworkTakesThePlaceOfSoftwareSettings() throws InputException {
        String text = "cases:\n"
                + CASE.replace("global_batch: 1536", "global_batch: 1536, attention: flash, micro_batch: 2")
                        .replace("shard_group: 128", "shard_group: 128, framework_profile: deepspeed")
                        .replace("    scenario:\n", "    framework: smp 1.11\n    scenario:\n");
        ReferenceCase one = read(text).get(0);
        Task.Training coded = (Task.Training) one.point().task();
        Task.Training released =
                (Task.Training) Objects.requireNonNull(one.written().released()).task();
        assertThat(coded.execution().attention()).isEqualTo(AttentionKind.FLASH);
        assertThat(released.execution().attention()).isEqualTo(AttentionKind.STANDARD);
        assertThat(released.microBatch()).isEqualTo(2);
        assertThat(coded.strategy().given()).containsEntry("framework_profile", "deepspeed");
        assertThat(released.strategy().given())
                .containsOnly(Map.entry("shard_group", "128"), Map.entry("framework_profile", "smp"));
        assertThat(read("cases:\n" + CASE).get(0).written().released()).isNull();
    }

    @Test
    void anOutcomeStandsAloneOrBesideFigures() throws InputException {
        ReferenceCase alone = read("cases:\n" + CASE.replace("samples_per_second: 73.52", "fits: false"))
                .get(0);
        ReferenceCase beside =
                read("cases:\n" + CASE.replace("73.52", "73.52, fits: true")).get(0);
        assertThat(alone.measured()).isEmpty();
        assertThat(alone.ran()).isFalse();
        assertThat(beside.measured()).hasSize(1);
        assertThat(beside.ran()).isTrue();
        assertThat(read("cases:\n" + CASE).get(0).ran()).isNull();
        refuses("cases:\n" + CASE.replace("samples_per_second: 73.52", "fits: 1"), "fits");
    }

    @Test
    void namesAreUnique() {
        refuses(
                "cases:\n" + CASE + CASE,
                "some/cases.yaml:13:9: id smp-30b-2048 is given twice, first in line 2; rename one");
    }

    @Test
    void mistakesInAScenarioAreToldAtTheirPlace() {
        refuses(
                "cases:\n"
                        + CASE.replace("shard_group: 128", "shard_group: 100").replace("gpt2-30b", "gpt2-30"),
                "cases.yaml:8:14: model gpt2-30 is not in the catalog",
                "cases.yaml:11:43: shard_group 100 does not divide world size 256");
    }

    @Test
    void aFigureMustBelongToTheTask() {
        refuses(
                "cases:\n" + CASE.replace("samples_per_second", "collective_seconds"),
                "cases.yaml:12:16: collective_seconds is not a figure of a training step",
                "samples_per_second, step_seconds");
    }

    @Test
    void somethingMustHaveBeenMeasured() {
        refuses("cases:\n" + CASE.replace("samples_per_second: 73.52", ""), "12:15: measured is empty");
        refuses("cases:\n" + CASE.replace("73.52", "0"), "12:36: samples_per_second 0.0 is not above 0");
        refuses(
                "cases:\n" + CASE.replace("samples_per_second", "samples_per_secnd"),
                "did you mean samples_per_second?");
    }

    @Test
    void aCaseIsOnePoint() {
        refuses(
                "cases:\n" + CASE.replace("    measured", "      sweep: {cluster.nodes: [16, 32]}\n    measured"),
                "scenario of a case has a sweep; write one case for each point");
    }

    @Test
    void aFileWithoutCasesIsRefused() {
        refuses("cases: []", "cases is an empty list");
        refuses("case: []", "unknown key case; did you mean cases?");
        refuses("[]", "case file is a list");
    }

    @Test
    @Tag("slow")
    void builtInCasesNameSourceAndRoleAndAreUnique() {
        List<ReferenceCase> cases = PublishedCases.all();
        assertThat(cases).hasSizeGreaterThan(100);
        assertThat(cases.stream().map(ReferenceCase::id)).doesNotHaveDuplicates();
        assertThat(cases).allSatisfy(one -> assertThat(one.measured()).isNotEmpty());
        assertThat(cases.stream().map(ReferenceCase::role)).contains("calibration", "validation");
    }

    @Test
    void withoutTheSourceTreeItSaysWhereCasesAre(@TempDir Path elsewhere) {
        assertThatThrownBy(() -> ReferenceCases.published(elsewhere))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("name a file or folder of cases");
        assertThatThrownBy(() -> ReferenceCases.readFolder(elsewhere))
                .isInstanceOf(InputException.class)
                .hasMessageContaining(": has no case files")
                .hasMessageNotContaining(":1:1");
    }

    @Test
    void everyBadFileOfAFolderIsTold(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("a.yaml"), "cases: 1");
        Files.writeString(folder.resolve("b.yaml"), "case: []");
        assertThatThrownBy(() -> ReferenceCases.readFolder(folder))
                .hasMessageContaining("a.yaml")
                .hasMessageContaining("b.yaml");
    }
}
