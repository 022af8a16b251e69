package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** What a command says of a run that is too large to be simulated: wrong input, at the key that makes it large. */
class TooLargeTest {
    private static final String LARGE = """
            scenario: large
            model: {hidden: 1024, layers: 24, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: 512, global_batch: 16, micro_batch: 1}
            strategy:
              kind: zero2
              allgather_bucket_size: 1
            """;

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private String file = "";

    @BeforeEach
    void write() throws Exception {
        file = Files.writeString(folder.resolve("large.yaml"), LARGE).toString();
    }

    private int shardsim(String... arguments) {
        CommandLine commandLine = ShardsimCommand.commandLine(Main.services());
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    static Stream<List<String>> commands() {
        return Stream.of(
                List.of("run", "-o", "FOLDER", "FILE"),
                List.of("run", "--json", "FILE"),
                List.of("what-if", "FILE"),
                List.of("compare", "FILE", "FILE"),
                List.of("explain", "FILE", "--measured", "1 s"),
                List.of("plan", "FILE", "--free", "training.micro_batch"));
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("commands")
    void isWrongInputAtTheKeyThatMakesItLarge(List<String> command) {
        String[] arguments = command.stream()
                .map(word -> word.equals("FILE")
                        ? file
                        : word.equals("FOLDER") ? folder.resolve("out").toString() : word)
                .toArray(String[]::new);

        assertThat(shardsim(arguments)).as(err.toString()).isEqualTo(ExitStatus.USAGE);

        assertThat(err.toString())
                .contains("large.yaml:7:3: ", "allgather_bucket_size 1 has ", " million operations > ")
                .doesNotContain("Exception", "\tat ");
    }

    @Test
    void aSweptKeyIsBlamedInItsSweep() throws Exception {
        Files.writeString(
                folder.resolve("large.yaml"),
                LARGE.replace("  allgather_bucket_size: 1\n", "")
                        + "sweep:\n  strategy.allgather_bucket_size: [500000000, 1]\n");

        assertThat(shardsim("run", file, "--json")).isEqualTo(ExitStatus.USAGE);

        assertThat(err.toString()).contains("large.yaml:8:3: ");
    }

    @Test
    void aCaseIsWrongInputToo() throws Exception {
        String cases = """
                cases:
                  - id: large
                    source: a paper
                    role: validation
                    scenario:
                """ + LARGE.indent(6) + "    measured: {step_seconds: 1}\n";
        Files.writeString(folder.resolve("cases.yaml"), cases);

        assertThat(shardsim(
                        "validate",
                        folder.resolve("cases.yaml").toString(),
                        "-o",
                        folder.resolve("out").toString()))
                .as(err.toString())
                .isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString()).contains(" million operations > ").doesNotContain("Exception");
    }
}
