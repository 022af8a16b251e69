package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.scenarios.catalog.Releases;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A framework's release sets its own defaults, and nothing that the file sets itself. */
class FrameworkDefaultsTest {
    private static ScenarioPoint point(String framework, String training, String strategy) throws InputException {
        return ScenarioReader.readText("a.yaml", """
                        scenario: named
                        model: llama3-8b
                        framework: %s
                        cluster: {instance: p5.48xlarge, nodes: 1}
                        training: {sequence_length: 1024, global_batch: 8%s}
                        strategy: {%s}
                        """.formatted(framework, training, strategy))
                .points()
                .get(0);
    }

    private static Task.Training task(ScenarioPoint point) {
        return (Task.Training) point.task();
    }

    @Test
    void whatTheFileLeavesOutIsBroughtAlong() throws InputException {
        ScenarioPoint point = point("torchtitan 2024-12 + compile", "", "kind: fsdp2");
        assertThat(task(point).execution().attention()).isEqualTo(AttentionKind.FLASH);
        assertThat(task(point).strategy().given())
                .containsEntry("framework_profile", "torchtitan-compile")
                .containsEntry("reduce_in_fp32", "true");
        assertThat(point.notes())
                .contains("framework torchtitan 2024-12 + compile sets attention: flash, reduce_in_fp32: true,"
                        + " framework_profile: torchtitan-compile");
    }

    @Test
    void aValueOfTheFileMayBringMoreAlong() throws InputException {
        String split = "kind: megatron-core, tensor_parallel: 4";
        assertThat(task(point("nemo 23.09", ", precision: fp8", split))
                        .strategy()
                        .given())
                .containsEntry("framework_profile", "transformer-engine-cudnn-8");
        assertThat(task(point("nemo 23.09", ", precision: bf16", split))
                        .strategy()
                        .given())
                .containsEntry("framework_profile", "megatron");
    }

    @Test
    void whatTheFileSaysStays() throws InputException {
        ScenarioPoint point = point(
                "torchtitan 2024-12",
                ", attention: standard",
                "kind: fsdp2, framework_profile: liger, reduce_in_fp32: false");
        assertThat(task(point).execution().attention()).isEqualTo(AttentionKind.STANDARD);
        assertThat(task(point).strategy().given())
                .containsEntry("framework_profile", "liger")
                .containsEntry("reduce_in_fp32", "false");
        assertThat(point.notes()).noneMatch(note -> note.startsWith("framework "));
    }

    @ParameterizedTest
    @CsvSource({
        "deepspeed 0.7, zero3, STANDARD, deepspeed-hf",
        "deepspeed 0.16, zero3-0.11, FLASH, deepspeed-hf",
        "deepspeed 0.11.1 + transformers 4.2x, zero3-0.11, STANDARD, deepspeed-hf",
        "deepspeed 0.11 + transformers 4.34 + flash-attention, zero3-0.11, FLASH, deepspeed-hf",
        "deepspeed 99999999999999999999, zero3-0.11, FLASH, deepspeed-hf",
        "deepspeed + accelerate, zero3-0.11, FLASH, deepspeed-accelerate",
        "megatron-deepspeed 2022, zero3, STANDARD, deepspeed"
    })
    void releasesDecide(String framework, String kind, AttentionKind attention, String profile) throws InputException {
        Task.Training task = task(point(framework, "", "kind: zero3"));
        assertThat(task.strategy().kind()).isEqualTo(kind);
        assertThat(task.execution().attention()).isEqualTo(attention);
        assertThat(task.strategy().given()).containsEntry("framework_profile", profile);
    }

    /** NeMo overlaps sequence communication with a layer's GEMMs, which requires a split sequence. */
    @Test
    void whatNeedsAnotherKeyComesWithIt() throws InputException {
        String split = "kind: megatron-core, tensor_parallel: 2";
        assertThat(task(point("nemo 24.09", "", split)).strategy().given())
                .doesNotContainKey("overlap_tensor_exchange");
        assertThat(task(point("nemo 24.09", "", split + ", sequence_parallel: true"))
                        .strategy()
                        .given())
                .containsEntry("overlap_tensor_exchange", "true");
    }

    @ParameterizedTest
    @CsvSource({"nemo, 1.0, 22.05", "torchtitan, 2023-12, 2024-03", "deepspeed, 0.2.9, 0.3"})
    void aReleaseBeforeTheOldestKnownOneIsTakenForIt(String name, String old, String oldest) throws InputException {
        ScenarioPoint point = point(name + " " + old, "", "kind: fsdp2");
        assertThat(point.notes())
                .contains("framework " + name + " " + old + " is older than " + oldest
                        + ", the oldest known release, which is used instead");
        assertThat(task(point).strategy().given())
                .isEqualTo(task(point(name + " " + oldest, "", "kind: fsdp2"))
                        .strategy()
                        .given());
    }

    @ParameterizedTest
    @ValueSource(strings = {"fms-fsdp 2024", "transformers 4.x", "nemo 22", "torchtitan 2024", "megatron-lm 2.x"})
    void aReleaseThatMayBeAmongTheKnownOnesIsNotCalledOlder(String framework) throws InputException {
        assertThat(point(framework, "", "kind: fsdp2").notes()).noneMatch(note -> note.contains("older than"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"torchtitan 1999", "torchtitan 0.1", "torchtitan 20204-12", "nemo latest"})
    void whatCanBeNoReleaseIsRefused(String framework) {
        assertThatThrownBy(() -> point(framework, "", "kind: fsdp2"))
                .hasMessageContaining(
                        "a.yaml:3:12: framework " + framework + " is not a release; the first known is 2");
    }

    @Test
    void unknownNamesAreToldAtTheirPlace() {
        assertThatThrownBy(() -> point("torchtitan + compil", "", "kind: fsdp2"))
                .hasMessageContaining("a.yaml:3:12: framework compil is not in the catalog; did you mean compile?");
        assertThatThrownBy(() -> point("'torchtitan, compiled'", "", "kind: fsdp2"))
                .hasMessageContaining("such as torchtitan 2024-12 + compile");
    }

    /** Each release and addition gives a scenario that can run, for every kind of strategy. */
    @Test
    @Tag("slow")
    void allReleasesGiveScenarios() throws InputException {
        int tried = 0;
        for (String name : Releases.names()) {
            Releases framework = Objects.requireNonNull(Releases.named(name));
            List<String> written = new ArrayList<>();
            framework.releases().forEach(release -> written.add(name + " " + release.from()));
            framework.with().keySet().forEach(part -> written.add(name + " + " + part));
            for (String each : written) {
                for (String kind : Strategies.kinds()) {
                    assertThat(task(point(each, "", "kind: " + kind)).modelName())
                            .as("%s under %s", each, kind)
                            .isEqualTo("llama3-8b");
                    tried++;
                }
            }
        }
        assertThat(tried).isGreaterThan(300);
    }
}
