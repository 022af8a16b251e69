package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code what-if} as a stranger tries it. */
class WhatIfCommandTest {
    private static final String SMALL = """
            scenario: small
            model: {hidden: 1024, layers: 2, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: 512, global_batch: 16}
            strategy: {kind: fsdp2}
            """;

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int shardsim(String... arguments) {
        CommandLine commandLine = ShardsimCommand.commandLine(Main.services());
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    @Test
    void aScenarioIsPriced() throws Exception {
        String file = Files.writeString(folder.resolve("a.yaml"), SMALL).toString();
        assertThat(shardsim("what-if", file, "--set", "training.attention=flash"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(out.toString()).contains("Bound by", "Next: ", "Resource", "10 % better");
        assertThat(shardsim("what-if", file, "--json")).isEqualTo(ExitStatus.DONE);
        assertThat(out.toString()).contains("\"bound_by\" : ", "\"without_effect\" : ");
    }

    @Test
    void whatCannotBePricedIsUsage() {
        assertThat(shardsim("what-if")).isEqualTo(ExitStatus.USAGE);
        assertThat(shardsim("what-if", "gpt2-30b-on-p4x")).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString()).contains("did you mean gpt2-30b-on-p4d?");
        assertThat(shardsim("what-if", "all-reduce-1gib")).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString()).contains("bare collective, which has no settings to price");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void helpSaysWhatAPercentIs() {
        assertThat(shardsim("help", "what-if")).isEqualTo(ExitStatus.DONE);
        assertThat(out.toString()).contains("10 % better").doesNotContain("%%");
    }

    @Test
    void whatDoesNotFitHasItsOwnStatus() throws Exception {
        String file = Files.writeString(
                        folder.resolve("a.yaml"), SMALL.replace("hidden: 1024, layers: 2", "hidden: 16384, layers: 96"))
                .toString();
        assertThat(shardsim("what-if", file)).isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(out.toString()).contains("Nothing to price");
    }
}
