package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.KnownSetting;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.simulator.yaml.InputException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table of settings names existing keys; a misspelt row would silently have no effect. */
class KnownSettingTest {
    @Test
    void everyRowIsAKeyOfScenarios() {
        Set<String> keys = new HashSet<>(ScenarioKeys.FILE.names());
        keys.addAll(ScenarioKeys.dottedKeys());
        Strategies.kinds().stream()
                .map(Strategies::descriptor)
                .filter(Objects::nonNull)
                .flatMap(strategy -> strategy.parameterNames().stream())
                .forEach(name -> keys.add("strategy." + name));
        assertThat(KnownSetting.all()).extracting(KnownSetting::path).isSubsetOf(keys);
    }

    /** A resolved training key is shown under its name in the table. */
    @Test
    void everyValueInForceIsARowOfTheTable() throws InputException {
        ScenarioPoint point = ScenarioReader.readText("a.yaml", """
                        scenario: plain
                        model: llama3-8b
                        cluster: {instance: p5.48xlarge, nodes: 1}
                        training: {sequence_length: 1024, global_batch: 8}
                        strategy: {kind: fsdp2}
                        """).points().get(0);
        Task.Training task = (Task.Training) point.task();
        Set<String> inForce = task.settings(
                        task.job(point.cluster(), task.strategy().create()))
                .keySet();
        List<String> paths = KnownSetting.all().stream()
                .map(KnownSetting::path)
                .filter(path -> path.startsWith("training."))
                .toList();
        // Some have a value only if a file gives one, or a model has experts.
        assertThat(paths)
                .filteredOn(
                        path -> !path.matches(
                                "training\\.(fp8_recipe|cuda_graphs|decoder_length|optimizer|delayed_parameter_initialization|recompute|expert_load|load_seed|expert_capacity|capacity_policy)"))
                .containsExactlyElementsOf(inForce);
    }

    @Test
    void loadAndModulesOfAMixtureAreInForce() throws InputException {
        ScenarioPoint point = ScenarioReader.readText("a.yaml", """
                        scenario: mixture
                        model: mixtral-8x7b
                        cluster: {instance: p5.48xlarge, nodes: 1}
                        training: {sequence_length: 1024, global_batch: 8, expert_load: dirichlet 2.5, recompute: [moe_act, layernorm]}
                        strategy: {kind: megatron-core, expert_parallel: 8}
                        """).points().get(0);
        Task.Training task = (Task.Training) point.task();
        assertThat(task.settings(task.job(point.cluster(), task.strategy().create())))
                .containsEntry("training.expert_load", "dirichlet 2.5")
                .containsEntry("training.recompute", "moe_act, layernorm")
                .containsEntry("training.activation_checkpointing", "selective");
    }

    /** Every value that the table offers to a plan is valid in a scenario. */
    @Test
    void choicesAreSearchedWhole() {
        assertThat(KnownSetting.of("training.attention").searched()).isEqualTo(List.of("standard", "flash"));
    }

    /** A user who names a framework still gives the model parallelism, and leaves the kernels to the release. */
    @Test
    void softwareDecidesWhatItShips() {
        assertThat(List.of("training.attention", "strategy.reduce_bucket_size", "strategy.framework_profile"))
                .noneMatch(path -> KnownSetting.of(path).isUsers());
        assertThat(List.of("training.micro_batch", "strategy.tensor_parallel", "cluster.nodes"))
                .allMatch(path -> KnownSetting.of(path).isUsers());
    }
}
