package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code calibrate} as a stranger tries it. */
class CalibrateCommandTest {
    private static final String LOG = "configurations/all_reduce.log";

    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    @Test
    @Tag("slow")
    void aLogBecomesAnInstanceThatScenariosName() throws Exception {
        Path file = folder.resolve("mine.yaml");
        assertThat(shell.shardsim("calibrate", LOG, "--base", "p4de.24xlarge", "-o", file.toString()))
                .as(shell.err())
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out())
                .contains("all_reduce      2    16     29", "nic_effective: 11.", "with each size left out", "Wrote ");
        String written = Files.readString(file);
        assertThat(written).contains("extends: p4de.24xlarge", "nccl_steps: {value: ", "source: \"nccl-tests: " + LOG);
        assertThat(shell.shardsim("catalog", file.toString())).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("p4de.24xlarge as measured on 2 nodes", "nic_effective: 11.");
        assertThat(shell.shardsim("run", "all-reduce-1gib", "--json", "--set", "cluster.instance=" + file))
                .as(shell.err())
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("\"instance\" : \"mine\"");
        assertThat(shell.shardsim("calibrate", LOG, "--base", "p4de.24xlarge", "--against", file.toString()))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).containsPattern("nic_effective: 11\\.\\d+ GB/s, was 11\\.\\d+ GB/s \\([+-]0\\.0 %\\)");
        assertThat(shell.shardsim("calibrate", LOG, "--base", "p4de.24xlarge", "--json"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("\"base\" : \"p4de.24xlarge\"", "\"nic_effective\" : \"11.");
    }

    /** Eight bytes on one node tell no rate. */
    @Test
    void noFigureIsNoSuccessWhereAFileIsAsked() throws Exception {
        String log = Files.writeString(folder.resolve("small.log"), """
                        # Collective test starting: all_gather_perf
                        #  Rank  0 Group  0 Pid 1 on a device  0 [0x10] NVIDIA A100-SXM4-40GB
                        #  Rank  1 Group  0 Pid 2 on a device  1 [0x20] NVIDIA A100-SXM4-40GB
                        #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
                                1024            16     float    none      -1     39.4    0.03    0.02      0     39.4    0.03    0.02      0
                        """).toString();
        Path file = folder.resolve("none.yaml");
        assertThat(shell.shardsim("calibrate", log, "--base", "p4d.24xlarge", "-o", file.toString()))
                .as(shell.err())
                .isEqualTo(ExitStatus.FAILED);
        assertThat(shell.out()).contains("none.yaml is not written");
        assertThat(file).doesNotExist();
    }

    @Test
    void whatCannotBeIsRefused() throws Exception {
        assertThat(shell.shardsim("calibrate", "none.log", LOG + "x", "--base", "p5.48xlarge"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("none.log: cannot be read; check the path", LOG + "x: cannot be read");
        assertThat(shell.shardsim("calibrate", LOG, "--base", "p6.48xlarge")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("p6.48xlarge");
        String empty = Files.writeString(folder.resolve("a.log"), "hello\n").toString();
        assertThat(shell.shardsim("calibrate", empty, "--base", "p5.48xlarge")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("a.log:1:1: has no nccl-tests table");
        assertThat(shell.shardsim("calibrate", LOG, "--base", "p4de.24xlarge", "--nodes", "3"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("16 ranks on 3 nodes do not go by 8 GPUs of p4de.24xlarge; add --nodes");
    }

    @Test
    void figuresAreComparedWithTheCatalog() throws Exception {
        String table = Files.writeString(
                        folder.resolve("a.csv"),
                        "m,n,k,tflops\n4096,4096,4096,650\n8192,8192,8192,650\n4096,8192,8192,650\n8192,4096,8192,650\n")
                .toString();
        assertThat(shell.shardsim("calibrate", table, "--base", "p5.48xlarge", "--against", "p5.48xlarge"))
                .as(shell.err())
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).containsPattern("gemm_rate: 0\\.\\d+, was 1 \\(-\\d+\\.\\d %\\)");
        assertThat(shell.shardsim("calibrate", table, "--base", "p5.48xlarge", "--against", "p6.48xlarge"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--against", "p6.48xlarge");
    }

    @Test
    @Tag("slow")
    void aRateThatNoLinkCarriesIsRefusedAndLinksAreCalledWhatTheyAre() throws Exception {
        String rows = """
                # nThread 1 nGpus 8 minBytes 67108864 maxBytes 1073741824 step: 2(factor)
                # Collective test starting: all_reduce_perf
                # Using devices
                %1$s#                                                              out-of-place                       in-place
                #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
                #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
                 1073741824     268435456     float     sum      -1  %2$s      0  %2$s      0
                """;
        StringBuilder ranks = new StringBuilder();
        for (int rank = 0; rank < 8; rank++) {
            ranks.append("#  Rank  %d Group  0 Pid  1 on  box device  %d [0x01] NVIDIA GeForce RTX 4090\n"
                    .formatted(rank, rank));
        }
        String fast = Files.writeString(folder.resolve("fast.log"), rows.formatted(ranks, "14534.2   73.88  129.28"))
                .toString();
        assertThat(shell.shardsim("calibrate", fast, "--base", "8x-rtx-4090")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .contains("fast.log: 129 GB/s busbw of all_reduce is more than the 56.0 that the links of a GPU in"
                        + " 8x-rtx-4090 carry at their line rate of 32.0 GB/s");
        String plain = Files.writeString(folder.resolve("plain.log"), rows.formatted(ranks, "144622.2    7.42   12.99"))
                .toString();
        assertThat(shell.shardsim("calibrate", plain, "--base", "8x-rtx-4090"))
                .as(shell.err())
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("the GPU links of a node").doesNotContain("NVLink");
    }
}
