package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code compare} as a stranger tries it. */
class CompareCommandTest {
    private static final String SMALL = """
            scenario: small
            model: {hidden: 2048, layers: 4, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 1024, global_batch: 64}
            strategy: {kind: zero3}
            """;

    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    private String file(String name, String text) throws Exception {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void twoScenariosAreCompared() throws Exception {
        String a = file("a.yaml", SMALL);
        String b = file("b.yaml", SMALL.replace("zero3", "fsdp"));
        assertThat(shell.shardsim("compare", a, b)).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("A: ", "B: ", "strategy.kind", "Why: ");
        assertThat(shell.shardsim("compare", a, a, "--json")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("\"same\" : true");
    }

    @Test
    void pointsOfASweepAreNamedByNumberOrValue() throws Exception {
        String sweep = file("s.yaml", SMALL + "sweep: {strategy.kind: [zero3, fsdp]}\n");
        assertThat(shell.shardsim("compare", sweep + "#1", sweep + "#kind=fsdp"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.shardsim("compare", sweep, sweep + "#2")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("holds 2 runs; name one, such as", "#2: strategy.kind fsdp");
    }

    @Test
    void whatCannotBeComparedIsUsage() throws Exception {
        String a = file("a.yaml", SMALL);
        assertThat(shell.shardsim("compare", a)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.shardsim("compare", a, "gpt2-30b-on-p4x")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("did you mean gpt2-30b-on-p4d?");
        assertThat(shell.shardsim("compare", a, "all-reduce-1gib")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("is a bare collective");
        assertThat(shell.shardsim("compare", a, folder.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void whatDoesNotFitHasItsOwnStatus() throws Exception {
        String a = file("a.yaml", SMALL);
        String large = file("b.yaml", SMALL.replace("hidden: 2048, layers: 4", "hidden: 16384, layers: 96"));
        assertThat(shell.shardsim("compare", a, large)).isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out()).contains("B does not fit in memory");
    }
}
