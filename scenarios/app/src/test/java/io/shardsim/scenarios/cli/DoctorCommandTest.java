package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code doctor} as a stranger tries it. */
class DoctorCommandTest {
    private static final String CONFIGURATIONS = "configurations/";

    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    private String log(String name, String text) throws Exception {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    @Tag("slow")
    void theLogGivesTheSpeedAndTheCause() throws Exception {
        String file = Shell.file(folder, Shell.SWEPT);
        String log = log(
                "train.log",
                "NCCL INFO Using network Socket\n" + "step tps: 5,000\n".repeat(4) + "step tps: 5,010\n".repeat(4));
        assertThat(shell.shardsim(
                        "doctor",
                        file + "#nodes=2",
                        log,
                        "-o",
                        folder.resolve("out").toString()))
                .as(shell.err())
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out())
                .contains(
                        "median of 7, 80 % of them 5,000 to 5,010",
                        "Shows tcp-over-ethernet",
                        "line 1: NCCL INFO Using network Socket",
                        "In the log: TCP sockets instead of RDMA",
                        " per day, on demand.",
                        "Best settings, each simulated without a fault:",
                        "Or a cause not listed here",
                        "Wrote ");
        assertThat(shell.out().lines()).allMatch(line -> line.length() <= 120 || line.contains(folder.toString()));
        assertThat(shell.shardsim("doctor", file + "#nodes=2", log, "--json")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("\"verdict\" : \"explained\"", "\"gains\" : [");
    }

    @Test
    @Tag("slow")
    void importedFilesAreWrittenBackWithWhatGainsMost() throws Exception {
        Path out = folder.resolve("out");
        assertThat(shell.shardsim(
                        "doctor",
                        CONFIGURATIONS + "config.json",
                        CONFIGURATIONS + "ds_config.json",
                        "--measured",
                        "1050 tokens/s/GPU",
                        "-o",
                        out.toString()))
                .as(shell.err())
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out())
                .contains(
                        "Assumed, not in any file: instance p4d.24xlarge",
                        "Healthy: ",
                        "Largest micro-batch",
                        "cluster.instance p4d.24xlarge is not in these files");
        assertThat(out.resolve("ds_config.json")).content().doesNotContain("\"train_micro_batch_size_per_gpu\": 2,");
    }

    @Test
    void whatCannotBeReadIsToldAllAtOnce() throws Exception {
        String config = CONFIGURATIONS + "config.json";
        assertThat(shell.shardsim("doctor")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.shardsim("doctor", "nowhere.yaml", log("empty.log", ""), log("b.bin", "\0\1")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .contains("no such file; check the path", "empty.log: has no speed and no known NCCL message", "b.bin");
        assertThat(shell.shardsim("doctor", log("train.log", "tps: 5"))).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("is a log and does not describe the training");
        assertThat(shell.shardsim("doctor", config)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--measured: no log has a speed");
        assertThat(shell.shardsim("doctor", config, "--measured", "1 s", "--not", "x"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--not: unknown fault x");
        assertThat(shell.shardsim("doctor", log("a.yml", "n_heads: 32\nmlp_ratio: 8\n"), "--measured", "1 s"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("a.yml:1:1: is of an unknown kind; known: SageMaker distribution");
        assertThat(shell.out()).isEmpty();
    }
}
