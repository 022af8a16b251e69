package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code explain} as a stranger tries it. */
class ExplainCommandTest {
    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    @Test
    @Tag("slow")
    void aPointOfASweepIsExplained() throws Exception {
        String file = Shell.file(folder, Shell.SWEPT);
        assertThat(shell.shardsim(
                        "explain",
                        file + "#nodes=2",
                        "--measured",
                        "1k tokens/s/GPU",
                        "--set",
                        "training.attention=flash"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("on 16 GPUs", ". Measured: 1,000 tokens/s/GPU.");
        assertThat(shell.shardsim("explain", file + "#1", "--measured", "1000 s", "--json"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("\"verdict\" : \"unexplained\"", "\"suspects\" : [ {");
    }

    @Test
    void whatCannotBeExplainedIsUsage() throws Exception {
        String file = Shell.file(folder, Shell.SWEPT);
        assertThat(shell.shardsim("explain", file)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--measured");
        assertThat(shell.shardsim("explain", file, "--measured", "1 samples/s")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("holds 2 runs; name one");
        assertThat(shell.shardsim("explain", file + "#1", "--measured", "1 banana"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("'1 banana' is not a speed");
        assertThat(shell.shardsim("explain", file + "#1", "--measured", "1 samples/s", "--not", "tcp-over-ethernt"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--not: unknown fault tcp-over-ethernt; did you mean tcp-over-ethernet?");
        assertThat(shell.shardsim("explain", file + "#1", "--measured", "1 samples/s", "--set", "x"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--set 1: x is not KEY=VALUE");
        assertThat(shell.shardsim("explain", file + "#1", "--measured", "1 samples/s", "--profile", file))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("is not a profile; give --profile one of torch.profiler");
        assertThat(shell.shardsim("explain", "gpt2-30b-on-p4x", "--measured", "1 samples/s"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("did you mean gpt2-30b-on-p4d?");
        assertThat(shell.out()).isEmpty();
    }
}
