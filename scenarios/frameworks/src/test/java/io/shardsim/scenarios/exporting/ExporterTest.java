package io.shardsim.scenarios.exporting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.importing.Choices;
import io.shardsim.scenarios.importing.Imported;
import io.shardsim.scenarios.importing.KeyVerdict;
import io.shardsim.scenarios.importing.ScenarioImport;
import io.shardsim.scenarios.importing.Verdict;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.yaml.InputException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** That what is written for a framework is read back as the same training, and that what it cannot say is told. */
class ExporterTest {
    private static final int TRAININGS = Integer.getInteger("export.trainings", 100);
    private static final int RUNS = 4;

    private record Drawn(Variations file, ScenarioPoint point) {}

    private static Optional<Drawn> draw(Framework framework, long seed, boolean carried) {
        String text = RandomTraining.text(framework, seed, carried);
        try {
            Variations file = Variations.readText("random", text);
            return Optional.of(new Drawn(file, file.with(Map.of())));
        } catch (InputException impossible) {
            return Optional.empty();
        }
    }

    private static Imported readBack(Export export, String instance) throws InputException {
        Map<String, String> texts = new LinkedHashMap<>();
        export.files().forEach(file -> texts.put(file.name(), file.text()));
        return ScenarioImport.readTexts(texts, new Choices("back", null, instance, null, null, List.of()));
    }

    private static String digest(PointSimulation simulation, ScenarioPoint point) throws InterruptedException {
        return simulation.run(point).digest();
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource(Framework.class)
    void whatAFrameworkCarriesComesBack(Framework framework) throws InputException {
        int written = 0;
        for (long seed = 0; seed < TRAININGS; seed++) {
            Drawn drawn = draw(framework, seed, true).orElse(null);
            if (drawn == null) {
                continue;
            }
            written++;
            Export export =
                    Exporter.export(framework, drawn.point(), drawn.file().file(Map.of()));
            assertThat(export.lost())
                    .as(RandomTraining.text(framework, seed, true)
                            + export.files().get(0).text())
                    .allMatch(lost -> lost.key().startsWith("cluster."));
        }
        assertThat(written).isGreaterThan(TRAININGS / 2);
    }

    /** Without the comparison that finds what is lost: setting it again in what came back gives the same run. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource(Framework.class)
    void whatIsLostIsAllThatDiffers(Framework framework) throws InputException, InterruptedException {
        int runs = 0;
        int lossy = 0;
        try (PointSimulation simulation = new PointSimulation(new RunOptions(1, true))) {
            for (long seed = 1000; runs < RUNS && seed < 1000 + TRAININGS; seed++) {
                Drawn drawn = draw(framework, seed, false).orElse(null);
                if (drawn == null) {
                    continue;
                }
                runs++;
                Export export =
                        Exporter.export(framework, drawn.point(), drawn.file().file(Map.of()));
                Map<String, String> lost = new LinkedHashMap<>();
                export.lost().forEach(each -> lost.put(each.key(), each.value()));
                String instance = String.valueOf(drawn.file().text("cluster.instance"));
                lost.keySet().removeIf(key -> key.startsWith("cluster."));
                lossy += lost.isEmpty() ? 0 : 1;
                Variations back =
                        Variations.readText("back", readBack(export, instance).text());
                assertThat(digest(simulation, back.with(lost)))
                        .as(RandomTraining.text(framework, seed, false) + lost)
                        .isEqualTo(digest(simulation, drawn.point()));
            }
        }
        assertThat(runs).isEqualTo(RUNS);
        assertThat(lossy).isGreaterThan(RUNS / 2);
    }

    /** No key of a written file is unknown, or says something that is not simulated. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource(Framework.class)
    void everyWrittenKeyIsDocumented(Framework framework) throws InputException {
        for (long seed = 0; seed < 40; seed++) {
            Drawn drawn = draw(framework, seed, true).orElse(null);
            if (drawn == null) {
                continue;
            }
            Export export =
                    Exporter.export(framework, drawn.point(), drawn.file().file(Map.of()));
            for (KeyVerdict key : readBack(export, "p5.48xlarge").keys()) {
                assertThat(key.note()).as(key.key()).doesNotStartWith("unknown key");
                if (!key.key().startsWith("env.")) {
                    assertThat(key.verdict()).as(key.key() + " " + key.note()).isNotEqualTo(Verdict.NOT_MODELLED);
                }
            }
        }
    }

    @Test
    void latentAttentionIsRefused() {
        String text = """
                scenario: latent
                model: {hidden: 256, layers: 4, heads: 8, head_dim: 48, kv_lora_rank: 64, qk_rope_head_dim: 16, gated_ffn: true, vocab: 4096}
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 128, global_batch: 8, micro_batch: 1}
                strategy: {kind: megatron-core}
                """;
        assertThatThrownBy(() -> export(Framework.MEGATRON, text))
                .hasMessageContaining("Megatron-LM files with latent attention (model.kv_lora_rank) are not written");
    }

    @Test
    void aStrategyOfAnotherFrameworkIsRefusedWithAWayOut() {
        String text = """
                scenario: other
                model: {hidden: 256, layers: 4, heads: 8, vocab: 4096}
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 128, global_batch: 8, micro_batch: 1}
                strategy: {kind: mics, shard_group: 8}
                """;
        assertThatThrownBy(() -> export(Framework.FSDP, text))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("Accelerate does not run strategy mics; use HSDP, its maintained counterpart");
        assertThatThrownBy(() -> export(Framework.MEGATRON, text))
                .hasMessageContaining("Megatron-LM does not run strategy mics");
        assertThatThrownBy(() -> export(
                        Framework.DEEPSPEED, text.replace("mics, shard_group: 8", "zero3-0.11, tensor_parallel: 2")))
                .hasMessageContaining("AutoTP runs with ZeRO stages 0 to 2 only");
    }

    @Test
    void deepSpeedsOwnMicsIsWrittenWithAWarning() throws InputException {
        Export export = export(Framework.DEEPSPEED, """
                scenario: mics
                model: {hidden: 256, layers: 4, heads: 8, vocab: 4096}
                cluster: {instance: p4d.24xlarge, nodes: 2}
                training: {sequence_length: 128, global_batch: 16, micro_batch: 1}
                strategy: {kind: mics, shard_group: 8}
                collectives: {library: nccl}
                """);
        assertThat(export.files().get(0).text()).contains("\"mics_shard_size\" : 8");
        assertThat(export.notes()).anyMatch(note -> note.contains("issue 5080") && note.contains("HSDP"));
        assertThat(export.lost().stream().map(Lost::key))
                .containsExactly(
                        "training.kernels", "strategy.host_time_per_module", "cluster.instance", "collectives.library");
    }

    /** FSDP1 has a node as its group, or all ranks. */
    @ParameterizedTest
    @CsvSource({
        "shard_group: 16, FULL_SHARD, fsdp",
        "'shard_group: 16, reshard_after_forward: false', SHARD_GRAD_OP, fsdp-grad-op",
        "shard_group: 8, HYBRID_SHARD, fsdp-hybrid"
    })
    void aShardGroupOfAllRanksIsFullSharding(String group, String written, String kind)
            throws InputException, InterruptedException {
        String text = """
                scenario: group
                model: {hidden: 256, layers: 4, heads: 8, vocab: 4096}
                cluster: {instance: p4d.24xlarge, nodes: 2}
                training: {sequence_length: 128, global_batch: 16, micro_batch: 1, gradient_clipping: 1}
                """ + "strategy: {kind: fsdp-hybrid, " + group + "}\n";
        Export export = export(Framework.FSDP, text);
        assertThat(export.files().get(0).text()).contains("fsdp_sharding_strategy: " + written + "\n");
        assertThat(export.lost().stream().map(Lost::key)).doesNotContain("strategy.shard_group", "strategy.hybrid");
        Variations back =
                Variations.readText("back", readBack(export, "p4d.24xlarge").text());
        assertThat(back.text("strategy.kind")).isEqualTo(kind);
        try (PointSimulation simulation = new PointSimulation(new RunOptions(1, true))) {
            assertThat(digest(simulation, back.with(Map.of())))
                    .isEqualTo(digest(
                            simulation, Variations.readText("group", text).with(Map.of())));
        }
    }

    private static Export export(Framework framework, String text) throws InputException {
        Variations file = Variations.readText("file", text);
        return Exporter.export(framework, file.with(Map.of()), file.file(Map.of()));
    }
}
