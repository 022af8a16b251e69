package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.exporting.Framework;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** That {@code plan --write} searches what a framework's files can say, and ranks it as it runs from them. */
class PlanAsWrittenTest {
    /** FSDP1 has no group of two of four nodes. */
    private static final String LARGE = """
            scenario: large
            model: {hidden: 8192, layers: 32, heads: 64, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 4}
            training:
              {sequence_length: 512, global_batch: 32, micro_batch: 1, precision: bf16, attention: flash, kernels: fsdp,
               activation_checkpointing: full, activation_offload: false}
            search: {strategy.kind: [fsdp-hybrid], strategy.shard_group: [16], strategy.tensor_parallel: [1]}
            """;

    @TempDir
    private Path folder;

    private final Shell shell = new Shell(Main.services());

    private int plan(String text, String framework, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "plan",
                Shell.file(folder, text),
                "--time-limit",
                "none",
                "--write",
                framework,
                "-o",
                folder.resolve("to").toString()));
        arguments.addAll(List.of(more));
        return shell.shardsim(arguments.toArray(String[]::new));
    }

    @Test
    void whatTheFilesCannotSayIsNoCandidate() throws IOException {
        assertThat(plan(LARGE, "fsdp")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .contains("for Accelerate: strategy.shard_group 16 is not in these files (import reads 8)");
        assertThat(shell.out()).isEmpty();
    }

    @Test
    @Tag("slow")
    void theSecondBestMustBeThere() throws IOException {
        String wider = LARGE.replace("[16]", "[16, 32]");
        assertThat(plan(wider, "fsdp", "--candidate", "2")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--candidate 2 does not exist; there are 1");
        assertThat(plan(wider, "fsdp")).isZero();
        assertThat(shell.out()).contains("1 cannot be expressed in these files");
    }

    /** Of an A100 of p4d.24xlarge. */
    private static final long GPU_BYTES = 40L << 30;

    private static final List<String> MODELS = List.of(
            "hidden: 1024, layers: 4, heads: 16, vocab: 32000, gated_ffn: true, ffn: 2816",
            "hidden: 1024, layers: 4, heads: 16, vocab: 32000",
            "hidden: 2048, layers: 2, heads: 16, vocab: 50304",
            "hidden: 2048, layers: 2, heads: 16, kv_heads: 8, vocab: 32000, gated_ffn: true, ffn: 5632",
            "hidden: 4096, layers: 2, heads: 32, vocab: 8192");

    /** torchtitan names its models. */
    static Stream<Arguments> plans() {
        Stream<Arguments> ofShapes = MODELS.stream()
                .flatMap(model -> Framework.words().stream()
                        .filter(framework -> !framework.equals("torchtitan"))
                        .map(framework -> Arguments.of(framework, "{" + model + "}")));
        return Stream.concat(ofShapes, Stream.of(Arguments.of("torchtitan", "llama3-8b")));
    }

    @ParameterizedTest
    @MethodSource("plans")
    @Tag("slow")
    void theWinnerRunsFromItsFilesAtTheSpeedThatWasPlanned(String framework, String model) throws IOException {
        String text = """
                scenario: small
                model: %s
                cluster: {instance: p4d.24xlarge, nodes: 2}
                training: {sequence_length: 512, global_batch: 32, precision: bf16, attention: flash}
                search:
                  strategy.kind: [fsdp2, fsdp, zero1, zero2, zero3, mics, smddp, megatron-core]
                  strategy.shard_group: [8, 16]
                  strategy.tensor_parallel: [1, 2]
                  training.micro_batch: [1, 2]
                  training.activation_checkpointing: [none, operator, full]
                  training.activation_offload: [false]
                """.formatted(model);
        assertThat(plan(text, framework, "--json")).as(shell.err()).isZero();
        JsonNode planned =
                new JsonMapper().readTree(shell.out().substring(0, shell.out().indexOf("\n}\n") + 3));
        List<String> best = planned.get("candidates").findValuesAsString("kind");
        List<String> others = planned.get("other_strategies").findValuesAsString("strategy");
        assertThat(others).doesNotHaveDuplicates().doesNotContainAnyElementsOf(best);
        assertThat(planned.get("candidates")).isNotEmpty().allSatisfy(one -> {
            assertThat(one.get("tight").asBoolean()).isFalse();
            assertThat(one.get("peak_memory_bytes_per_gpu").asLong()).isLessThan(GPU_BYTES);
        });
        List<String> arguments = new ArrayList<>(List.of("import"));
        try (Stream<Path> files = Files.walk(folder.resolve("to")).filter(Files::isRegularFile)) {
            files.map(Path::toString).sorted().forEach(arguments::add);
        }
        String imported = Shell.file(folder, "imported.yaml", said(arguments));
        JsonNode run = new JsonMapper()
                .readTree(said(List.of("run", imported, "--json")))
                .get("runs")
                .get(0);
        assertThat(run.get("digest")).isEqualTo(planned.get("candidates").get(0).get("digest"));
    }

    private static String said(List<String> arguments) {
        Shell other = new Shell(Main.services());
        assertThat(other.shardsim(arguments.toArray(String[]::new)))
                .as(other.err())
                .isZero();
        return other.out();
    }
}
