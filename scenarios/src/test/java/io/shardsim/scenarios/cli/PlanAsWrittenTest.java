package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code plan --write} says of files that are not the training that was planned. */
class PlanAsWrittenTest {
    /** FSDP1 has no group of two of four nodes; that of a node is too small for these states. */
    private static final String LARGE = """
            scenario: large
            model: {hidden: 8192, layers: 32, heads: 64, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 4}
            training:
              {sequence_length: 512, global_batch: 32, micro_batch: 1, precision: bf16, attention: flash,
               activation_checkpointing: full, activation_offload: false}
            search: {strategy.kind: [fsdp-hybrid], strategy.shard_group: [16], strategy.tensor_parallel: [1]}
            """;

    @TempDir
    private Path folder;

    /** Plans and writes; returns what was said, without its line breaks. */
    private String said(int status, String text, String candidate) throws IOException {
        Shell shell = new Shell(Main.services());
        String to = folder.resolve("to").toString();
        String file = Shell.file(folder, text);
        assertThat(shell.shardsim("plan", file, "--write", "fsdp", "-o", to, "--candidate", candidate))
                .as(shell.err())
                .isEqualTo(status);
        return shell.out().replaceAll("\\s+", " ");
    }

    @Test
    void filesThatDoNotFitAreToldWithStatus3() throws IOException {
        assertThat(said(ExitStatus.OUT_OF_MEMORY, LARGE, "1"))
                .contains("strategy.shard_group 16 is not in these files (import reads 8)")
                .contains("As import reads these files, the run does not fit: it needs ")
                .doesNotContain("or write the best");
    }

    @Test
    @Tag("slow")
    void whereAnotherCandidateFitsItIsNamed() throws IOException {
        String wider = LARGE.replace("[16]", "[16, 32]");
        assertThat(said(ExitStatus.OUT_OF_MEMORY, wider, "2"))
                .contains("; or write the best that it runs: --candidate 1");
        assertThat(said(ExitStatus.DONE, wider, "1")).doesNotContain("As import reads");
    }

    @Test
    void filesThatRunSlowerSayHowFast() throws IOException {
        String operator = LARGE.replace("layers: 32", "layers: 4")
                .replace("ing: full", "ing: operator")
                .replace("length: 512", "length: 4096");
        assertThat(said(ExitStatus.DONE, operator.replace("fsdp-hybrid", "fsdp2"), "1"))
                .contains("activation_checkpointing operator is not in these files (import reads full)")
                .containsPattern("the run reaches [0-9,.]+ samples/s, not the planned [0-9,.]+ samples/s");
    }
}
