package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.exporting.Export;
import io.shardsim.scenarios.exporting.Exporter;
import io.shardsim.scenarios.exporting.Framework;
import io.shardsim.scenarios.exporting.Lost;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Configurations found in public repositories, imported, written again and imported again: the same scenario, and the same files. */
class WrittenBackTest {
    /** What these configurations ask for and the files of another framework cannot say. */
    private static final Set<String> LOST = Set.of(
            "cluster.gpus_per_node",
            "cluster.instance",
            "cluster.pcie_switches",
            "lora.frozen_bits",
            "lora.r",
            "lora.target_modules",
            "model.expert_layer_period",
            "strategy.activation_loading_horizon",
            "strategy.contiguous_gradients",
            "strategy.host_time_per_module",
            "strategy.overlap_tensor_exchange",
            "strategy.prefetch_bucket_size",
            "strategy.reduce_in_fp32",
            "strategy.reentrant_checkpoints",
            "strategy.runtime_memory",
            "strategy.sequence_parallel",
            "strategy.shard_group",
            "training.activation_checkpointing",
            "training.activation_offload",
            "training.capacity_policy",
            "training.checkpointed_layers",
            "training.delayed_parameter_initialization",
            "training.expert_capacity",
            "training.global_batch",
            "training.kernels",
            "training.fp8_recipe",
            "training.optimizer",
            "training.precision");

    private record Written(Export export, Variations file) {}

    private static Written written(Framework framework, Variations file) throws InputException {
        ScenarioPoint point = file.with(Map.of());
        return new Written(Exporter.export(framework, point, file.file(Map.of())), file);
    }

    private static Variations readAgain(Export export, String instance) throws InputException {
        Map<String, String> texts = new LinkedHashMap<>();
        export.files().forEach(each -> texts.put(each.name(), each.text()));
        return Variations.readText(
                "again",
                ScenarioImport.readTexts(texts, new Choices("again", null, instance, null, null, List.of()))
                        .text());
    }

    @Test
    void realConfigurationsComeBack() throws IOException, InputException {
        Set<String> lost = new TreeSet<>();
        Set<Framework> used = new TreeSet<>();
        int count = 0;
        try (Stream<RealConfigurationsTest.Case> cases = RealConfigurationsTest.imported()) {
            for (RealConfigurationsTest.Case one : cases.toList()) {
                Imported imported = ScenarioImport.read(one.files(), RealConfigurationsTest.choices(one.choices()));
                Variations file =
                        Variations.readText("again", imported.text().replaceFirst("scenario: .*", "scenario: again"));
                for (Framework framework : Framework.values()) {
                    Task.Training task = (Task.Training) file.with(Map.of()).task();
                    if (task.microBatch() != null
                            && framework.kinds().contains(task.strategy().kind())) {
                        try {
                            Written first = written(framework, file);
                            Variations again = readAgain(first.export(), String.valueOf(file.text("cluster.instance")));
                            Written second = written(framework, again);
                            assertThat(second.export().files())
                                    .as(one + " as " + framework)
                                    .isEqualTo(first.export().files());
                            first.export().lost().stream().map(Lost::key).forEach(lost::add);
                            used.add(framework);
                            count++;
                        } catch (InputException refused) {
                            assertThat(refused.problems().get(0).message())
                                    .as(one + " as " + framework)
                                    .startsWith(framework.title() + " ")
                                    .containsPattern("^[^:]* (cannot run this |files with .* are not written;)");
                        }
                    }
                }
            }
        }
        assertThat(count).isGreaterThan(20);
        assertThat(used).containsExactly(Framework.values());
        assertThat(lost).isEqualTo(LOST);
    }
}
