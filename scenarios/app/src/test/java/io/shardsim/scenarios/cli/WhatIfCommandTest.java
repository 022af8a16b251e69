package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code what-if} as a stranger tries it. */
class WhatIfCommandTest {
    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    @Test
    @Tag("slow")
    void aScenarioIsPriced() throws Exception {
        String file = Shell.file(folder, Shell.SMALL);
        assertThat(shell.shardsim("what-if", file, "--set", "training.attention=flash"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("Bound by", "Next: ", "Resource", "10 % better");
        assertThat(shell.shardsim("what-if", file, "--json")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("\"bound_by\" : ", "\"without_effect\" : ");
    }

    @Test
    void whatCannotBePricedIsUsage() {
        assertThat(shell.shardsim("what-if")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.shardsim("what-if", "gpt2-30b-on-p4x")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("did you mean gpt2-30b-on-p4d?");
        assertThat(shell.shardsim("what-if", "all-reduce-1gib")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("bare collective and has no settings to vary");
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void helpSaysWhatAPercentIs() {
        assertThat(shell.shardsim("help", "what-if")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("10 % better").doesNotContain("%%");
    }

    @Test
    void whatDoesNotFitHasItsOwnStatus() throws Exception {
        String file = Shell.file(folder, Shell.SMALL.replace("hidden: 1024, layers: 2", "hidden: 16384, layers: 96"));
        assertThat(shell.shardsim("what-if", file)).isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out()).contains("Not simulated");
    }
}
