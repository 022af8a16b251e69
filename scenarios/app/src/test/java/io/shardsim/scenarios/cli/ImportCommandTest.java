package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code import}: what it prints, and how it and {@code run} tell each other's files. */
class ImportCommandTest {
    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    @Test
    void importAsJsonHasTheScenarioAndEveryKey() throws IOException {
        Path config = Files.writeString(
                folder.resolve("ds_config.json"),
                "{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 2}, \"x\": [1, null]}");
        assertThat(shell.shardsim("import", config.toString(), "--json")).isZero();
        assertThat(shell.err()).isEmpty();
        JsonNode document = JsonMapper.builder().build().readTree(shell.out());
        assertThat(document.at("/scenario/strategy/kind").asString()).isEqualTo("zero2");
        assertThat(document.at("/scenario/training/global_batch").asLong()).isEqualTo(8);
        assertThat(document.get("keys")).hasSize(3);
        JsonNode stage = document.get("keys").get(1);
        assertThat(stage.get("file").asString()).isEqualTo(config.toString());
        assertThat(stage.get("key").asString()).isEqualTo("zero_optimization.stage");
        assertThat(stage.get("value").asInt()).isEqualTo(2);
        assertThat(stage.get("verdict").asString()).isEqualTo("modelled");
        assertThat(stage.get("note").asString()).isEqualTo("strategy.kind");
        assertThat(document.get("keys").get(2).get("value").toString()).isEqualTo("[1,null]");
    }

    @Test
    void runAndImportTellEachOthersFiles() throws IOException {
        Path config = Files.writeString(folder.resolve("ds.json"), "{\"zero_optimization\": {\"stage\": 3}}");
        assertThat(shell.shardsim("run", config.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .isEqualToIgnoringNewLines(
                        config + ":1:1: this is a DeepSpeed configuration, not a scenario; shardsim import " + config
                                + " converts it");
        Path scenario = Files.writeString(folder.resolve("s.yaml"), """
                scenario: gather
                cluster: {instance: p4d.24xlarge, nodes: 2}
                workload: {collective: all_gather, size: 1 GiB}
                """);
        assertThat(shell.shardsim("import", scenario.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("s.yaml:1:1: is a scenario already; run it with shardsim run ");
    }
}
