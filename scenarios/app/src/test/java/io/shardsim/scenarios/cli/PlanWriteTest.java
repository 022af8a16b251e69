package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code plan --write}: what goes where, and that it can be used. */
class PlanWriteTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private String scenario = "";

    @BeforeEach
    void writeScenario() throws IOException {
        scenario = Files.writeString(folder.resolve("small.yaml"), """
                        scenario: small
                        model: {hidden: 1024, layers: 4, heads: 16, vocab: 32000, gated_ffn: true, ffn: 2816}
                        cluster: {instance: p4d.24xlarge, nodes: 2}
                        training:
                          {sequence_length: 512, global_batch: 32, micro_batch: 2, precision: bf16, attention: flash,
                           activation_checkpointing: full, activation_offload: false}
                        search: {strategy.kind: [fsdp2, zero3-0.11], strategy.tensor_parallel: [1]}
                        """).toString();
    }

    private int shardsim(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine commandLine = ShardsimCommand.commandLine(Main.services());
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    @Test
    @Tag("slow")
    void aFolderIsWrittenThatImportsAndRuns() throws IOException {
        Path to = folder.resolve("best");
        assertThat(shardsim("plan", scenario, "--write", "fsdp", "-o", to.toString()))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .contains(
                        "small: fastest of ", "Wrote ", "accelerate launch", "cluster.instance p4d.24xlarge is not in");
        List<String> files = List.of("accelerate.yaml", "args.json", "config.json");
        assertThat(files).allSatisfy(file -> assertThat(to.resolve(file)).isNotEmptyFile());
        assertThat(shardsim(
                        "import",
                        to.resolve("accelerate.yaml").toString(),
                        to.resolve("args.json").toString(),
                        to.resolve("config.json").toString()))
                .isZero();
        assertThat(out.toString()).contains("kind: fsdp2", "global_batch: 32", "micro_batch: 2", "nodes: 2");
        Path imported = Files.writeString(folder.resolve("imported.yaml"), out.toString());
        assertThat(shardsim("run", imported.toString(), "--json")).isZero();
    }

    /** DeepSpeed's files do not name its release, so that zero3 is read back as zero3-0.11; it is the strategy that was asked for all the same. */
    @Test
    void otherStrategiesAreNamedAsTheyWereAskedForAndJsonStandsAlone() throws IOException {
        Path deepspeed = folder.resolve("deepspeed.yaml");
        Files.writeString(
                deepspeed, Files.readString(Path.of(scenario)).replace("[fsdp2, zero3-0.11]", "[zero2, zero3]"));
        String to = folder.resolve("best").toString();
        assertThat(shardsim("plan", deepspeed.toString(), "--write", "deepspeed", "-o", to, "--json"))
                .as(err.toString())
                .isZero();
        JsonNode plan = JsonMapper.shared().readTree(out.toString());
        List<String> best = plan.path("candidates").findValuesAsString("kind");
        assertThat(best).isSubsetOf("zero2", "zero3");
        for (JsonNode other : plan.path("other_strategies")) {
            assertThat(best).doesNotContain(other.path("strategy").asString());
            assertThat(other.path("samples_per_second").isNumber()).isTrue();
        }
        assertThat(err.toString()).contains("Wrote " + folder);
    }

    @Test
    void withoutAPathTheFilesGoToStdoutAndThePlanToStderr() {
        assertThat(shardsim("plan", scenario, "--write", "scenario")).isZero();
        assertThat(out.toString()).startsWith("scenario: small\n").doesNotContain("search");
        assertThat(err.toString()).contains("small: fastest of ", "Run: shardsim run small.yaml");
    }

    @Test
    @Tag("slow")
    void aScenarioIsOneFileAndTheSecondBestCanBeChosen() throws IOException {
        Path best = folder.resolve("to/best.yaml");
        Path second = folder.resolve("second.yaml");
        assertThat(shardsim("plan", scenario, "--write", "scenario", "-o", best.toString()))
                .isZero();
        assertThat(shardsim("plan", scenario, "--write", "scenario", "-o", second.toString(), "--candidate", "2"))
                .isZero();
        assertThat(best).isNotEmptyFile().content().isNotEqualTo(Files.readString(second));
        assertThat(shardsim("run", best.toString(), "--json")).isZero();
    }

    @Test
    void whatAFrameworkCannotRunIsToldWithTheWayOut() {
        assertThat(shardsim("plan", scenario, "--write", "megatron")).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString())
                .contains("Megatron-LM does not run strategy ", "plan with strategy.kind: [megatron-core]");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aModelWithoutAFlavorIsRefusedWithTheWayOut() {
        assertThat(shardsim("plan", scenario, "--write", "torchtitan")).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString())
                .contains("none of its model flavors matches; write fsdp, or train one of llama2-7b,");
        assertThat(out.toString()).isEmpty();
    }

    /** Without the adapters another training would be ranked and written. */
    @Test
    void adaptersThatTheFilesCannotSayAreRefused() throws IOException {
        String adapted = Files.writeString(folder.resolve("lora.yaml"), """
                        scenario: lora
                        model: llama2-7b
                        cluster: {instance: p4d.24xlarge, nodes: 1}
                        training: {sequence_length: 512, global_batch: 16, micro_batch: 2, precision: bf16_pure, activation_checkpointing: full}
                        lora: {r: 16, target_modules: [q_proj, v_proj]}
                        strategy: {kind: fsdp, tensor_parallel: 1}
                        """).toString();
        assertThat(shardsim("plan", adapted, "--write", "fsdp")).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString()).contains("lora.r 16 is not in these files");
        assertThat(out.toString()).isEmpty();
    }

    /** Of a limit that nothing keeps, how far it was missed. */
    @Test
    void missedLimitsAreTold() {
        assertThat(shardsim("plan", scenario, "--budget", "1", "--tokens", "1T"))
                .isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(out.toString())
                .contains("Nothing meets the limits.", "Allow a larger budget.")
                .doesNotContain("nodes");
    }

    @Test
    void aKeyThatTheFileSetsCanBeFreed() {
        assertThat(shardsim(
                        "plan", scenario, "--free", "training.micro_batch,training.attention", "--write", "scenario"))
                .isZero();
        assertThat(err.toString()).contains("fastest of 32 configurations", "batch");
        assertThat(shardsim("plan", scenario)).isZero();
        assertThat(out.toString())
                .contains("Next: --write fsdp searches what those files can express, and " + "writes the best plan.");
        assertThat(shardsim("plan", scenario, "--free", "training.microbatch")).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString())
                .contains("has no key training.microbatch to free; did you mean training.micro_batch?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--write deepspede | shardsim plan: --write deepspede is not known; did you mean deepspeed?",
                "--deadline 0d | shardsim plan: Invalid value for option '--deadline': '0d' is not an amount above 0 such as 30d",
                "--write fsdp --candidate 9 | shardsim plan: --candidate 9 is not from 1 to 5",
                "--available pytroch | shardsim plan: --available pytroch is not known; did you mean pytorch?",
                "-o x | shardsim plan: -o and --candidate go with --write; name what to write, for example --write deepspeed",
                "--write fsdp --json | shardsim plan: --json and --write both print on stdout; name a path with -o"
            })
    void wrongUsageIsToldBeforeAnythingIsSearched(String arguments, String message) {
        assertThat(shardsim(("plan " + scenario + " " + arguments).split(" "))).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString().lines().findFirst()).hasValue(message);
        assertThat(out.toString()).isEmpty();
    }
}
