package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code critical-path} as a stranger tries it. */
class CriticalPathCommandTest {
    private static final String SMALL = """
            scenario: small
            model: {hidden: 1024, layers: 2, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 32, micro_batch: 2}
            strategy: {kind: fsdp2}
            sweep:
              cluster.nodes: [1, 2]
            """;

    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    @Test
    void eachListOfTheDocumentSumsToTheStep() throws Exception {
        String file = Files.writeString(folder.resolve("a.yaml"), SMALL).toString();
        assertThat(shell.shardsim("critical-path", file + "#nodes=2", "--json")).isEqualTo(ExitStatus.DONE);
        JsonNode json = JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build()
                .readTree(shell.out());
        for (String list : new String[] {"parts", "ranks", "operations"}) {
            BigDecimal sum = BigDecimal.ZERO;
            for (JsonNode part : json.get(list)) {
                sum = sum.add(part.get("seconds").decimalValue());
            }
            assertThat(sum).as(list).isEqualByComparingTo(json.get("seconds").decimalValue());
        }
        BigDecimal at = BigDecimal.ZERO;
        for (JsonNode operation : json.get("operations")) {
            assertThat(operation.get("start_seconds").decimalValue()).isEqualByComparingTo(at);
            at = at.add(operation.get("seconds").decimalValue());
        }
        assertThat(json.get("parts"))
                .anyMatch(part -> part.get("link").asString("").equals("nic"));
    }

    @Test
    void theTextFitsTheTerminal() throws Exception {
        String file = Files.writeString(folder.resolve("a.yaml"), SMALL).toString();
        assertThat(shell.shardsim("critical-path", file + "#1")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("Critical path: ", "backward layer", "At rank");
        assertThat(shell.out().lines()).allMatch(line -> line.length() <= Terminal.width());
    }

    @Test
    void whatDoesNotFitAndWhatIsWrongIsSaid() throws Exception {
        String file = Files.writeString(folder.resolve("a.yaml"), SMALL).toString();
        assertThat(shell.shardsim("critical-path", file + "#1", "--set", "training.micro_batch=4096"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.shardsim("critical-path", file)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("holds 2 runs; name one");
        assertThat(shell.shardsim("critical-path", file + "#1", "--set", "model.layers=4000"))
                .isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out()).contains("Nothing to follow: it does not fit in memory.");
    }
}
