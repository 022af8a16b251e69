package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code critical-path} as a stranger tries it. */
class CriticalPathCommandTest {
    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    @Test
    void eachListOfTheDocumentSumsToTheStep() throws Exception {
        String file = Shell.file(folder, Shell.SWEPT);
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

    /** Of a sweep the fastest run alone has a path, whose parts sum to its step; text and report have it, too. */
    @Test
    @Tag("slow")
    void aRunHasItsPathWhereThatIsAskedFor() throws Exception {
        String file = Shell.file(folder, Shell.SWEPT);
        Path out = folder.resolve("out");
        assertThat(shell.shardsim("run", file, "--critical-path", "--out", out.toString()))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("Critical path: ");
        assertThat(Files.readString(out.resolve("report.html")))
                .contains(
                        "<h3>The critical path</h3>",
                        "<pre id=\"command\">shardsim run " + Path.of(file).getFileName() + " --critical-path</pre>",
                        "<p class=\"runs\">shardsim ");
        JsonNode runs = JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build()
                .readTree(out.resolve("results.json").toFile())
                .get("runs");
        assertThat(runs.get(0).get("critical_path").isNull()).isTrue();
        JsonNode path = runs.get(1).get("critical_path");
        BigDecimal sum = BigDecimal.ZERO;
        for (JsonNode part : path.get("parts")) {
            sum = sum.add(part.get("seconds").decimalValue());
        }
        assertThat(sum).isEqualByComparingTo(path.get("seconds").decimalValue());
        assertThat(sum).isEqualByComparingTo(runs.get(1).get("step_seconds").decimalValue());
        assertThat(shell.shardsim("run", file, "--out", out.toString())).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).as("both runs").containsOnlyOnce("Critical path: ");
    }

    @Test
    void theTextFitsTheTerminal() throws Exception {
        String file = Shell.file(folder, Shell.SWEPT);
        assertThat(shell.shardsim("critical-path", file + "#1")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("Critical path: ", "backward layer", "At rank");
        assertThat(shell.out().lines()).allMatch(line -> line.length() <= Terminal.width());
    }

    @Test
    @Tag("slow")
    void whatDoesNotFitAndWhatIsWrongIsSaid() throws Exception {
        String file = Shell.file(folder, Shell.SWEPT);
        assertThat(shell.shardsim("critical-path", file + "#1", "--set", "training.micro_batch=4096"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.shardsim("critical-path", file)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("holds 2 runs; name one");
        assertThat(shell.shardsim("critical-path", file + "#1", "--set", "model.layers=4000"))
                .isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out()).contains("No critical path: it does not fit in memory.");
    }
}
