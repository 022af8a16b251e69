package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.observation.StepObservation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Options, exit statuses and streams of {@code validate}, with a runner that takes a millisecond for everything. */
class ValidateCommandTest {
    private static final String CASES = """
            cases:
              - id: slow
                source: a paper
                role: validation
                scenario:
                  scenario: a
                  cluster: {instance: p4d.24xlarge, nodes: 2}
                  workload: {collective: all_gather, size: 1 MB}
                measured: {collective_seconds: 0.0008, algorithm_bandwidth_bytes_per_second: 1.25e9}
              - id: same-question
                source: a log
                role: calibration
                scenario:
                  scenario: b
                  cluster: {instance: p4d.24xlarge, nodes: 2}
                  workload: {collective: all_gather, size: 1 MB}
                measured: {collective_seconds: 0.002}
            """;

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<ScenarioPoint> ran = Collections.synchronizedList(new ArrayList<>());
    private final List<RunOptions> created = Collections.synchronizedList(new ArrayList<>());
    private String failing = "nothing";

    private int validate(String... arguments) throws IOException {
        CommandLine commandLine = ShardsimCommand.commandLine(new Services(
                options -> {
                    created.add(options);
                    return new Runner();
                },
                Main.services().reports(),
                Main::demo));
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        List<String> all = new ArrayList<>(
                List.of("validate", "--out", folder.resolve("out").toString()));
        all.addAll(List.of(arguments));
        return commandLine.execute(all.toArray(String[]::new));
    }

    private final class Runner implements ScenarioRunner {
        @Override
        public RunResult run(ScenarioPoint point) {
            ran.add(point);
            if (point.scenario().equals(failing)) {
                throw new IllegalStateException("Node[0].Nic[1]: two chunks on the wire");
            }
            Task.Collective task = (Task.Collective) point.task();
            RunFacts facts = RunFacts.of(
                    point.scenario(),
                    point.values(),
                    point.cluster(),
                    new RunFacts.Collective(task.kind(), task.totalBytes(), "ring", "nccl"),
                    new RunFacts.Remarks(List.of(), List.of(), List.of()));
            return RunResult.of(
                    facts, new StepObservation(1_000_000_000L, List.of(), List.of(), List.of(), 1, 1, 1, "d"), 0.1);
        }

        @Override
        public void close() {}
    }

    private String cases() throws IOException {
        return Files.writeString(folder.resolve("mine.yaml"), CASES).toString();
    }

    @Test
    void jsonHoldsEveryFigureWithItsErrorAndASummaryByRole() throws IOException {
        assertThat(validate("--json", cases())).isEqualTo(ExitStatus.DONE);
        JsonNode document = JsonMapper.shared().readTree(out.toString());
        JsonNode first = document.get("cases").get(0);
        assertThat(first.get("id").asString()).isEqualTo("slow");
        assertThat(first.get("role").asString()).isEqualTo("validation");
        assertThat(first.get("metric").asString()).isEqualTo("collective_seconds");
        assertThat(first.get("measured").asDouble()).isEqualTo(0.0008);
        assertThat(first.get("simulated").asDouble()).isEqualTo(0.001);
        assertThat(first.get("error").asDouble()).isCloseTo(0.25, within(1e-9));
        JsonNode validation = document.get("summary").get("validation");
        assertThat(validation.get("n").asInt()).isEqualTo(2);
        assertThat(validation.get("mape").asDouble()).isCloseTo((0.25 + 0.2) / 2, within(1e-9));
        assertThat(validation.get("worst").asDouble()).isCloseTo(0.25, within(1e-9));
        assertThat(document.get("summary").get("calibration").get("worst").asDouble())
                .isCloseTo(0.5, within(1e-9));
        assertThat(folder.resolve("out/validation.json")).hasContent(out.toString());
        assertThat(err.toString()).isEmpty();
    }

    private static String outcome(String id, int nodes, boolean ran) {
        return """
              - id: %s
                source: a log
                role: validation
                scenario:
                  scenario: %s
                  model: gpt3-175b
                  cluster: {instance: p4d.24xlarge, nodes: %d}
                  training: {sequence_length: 2048, global_batch: 512, micro_batch: 1}
                  strategy: {kind: zero3}
                measured: {fits: %s}
            """.formatted(id, id, nodes, ran);
    }

    /** 175B has 2.8 TB of states: 350 GB on each of 8 GPUs, 11 GB on each of 256. */
    @Test
    void outcomesOfMemoryAreCountedApartAndNotSimulated() throws IOException {
        String file = Files.writeString(
                        folder.resolve("outcomes.yaml"),
                        "cases:\n" + outcome("ran", 32, true) + outcome("too-large", 1, false)
                                + outcome("edge", 32, false))
                .toString();

        assertThat(validate(file)).isEqualTo(ExitStatus.DONE);
        assertThat(ran).isEmpty();
        assertThat(out.toString()).isEqualTo("""
                        edge: ran out of memory; simulated: fits
                        memory outcomes: 3, right 2 (66.7 %), false "fits" 1 (33.3 %), false "does not fit" 0 (0.0 %)
                        """);
    }

    @Test
    void figuresAndOutcomesShareADocument() throws IOException {
        String file = Files.writeString(folder.resolve("both.yaml"), CASES + outcome("ran", 1, true))
                .toString();

        assertThat(validate("--json", file)).isEqualTo(ExitStatus.DONE);
        JsonNode document = JsonMapper.shared().readTree(out.toString());
        assertThat(document.get("cases")).hasSize(3);
        JsonNode outcomes = document.get("memory_outcomes");
        assertThat(outcomes.get("n").asInt()).isEqualTo(1);
        assertThat(outcomes.get("right").asInt()).isZero();
        assertThat(outcomes.get("false_does_not_fit").asInt()).isEqualTo(1);
        assertThat(outcomes.get("cases").get(0).get("ran").asBoolean()).isTrue();
    }

    /** As run does: PCIe of generation 4 carries 24 of the 48 GB/s. */
    @Test
    void casesOfAFileAreToldWhatWasAssumedOfTheirClusters() throws IOException {
        String slow = CASES.replace(
                "{instance: p4d.24xlarge, nodes: 2}",
                "{gpu: a100-80gb, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 8, nic: 400 Gbit/s, network: infiniband, nodes: 2}");

        validate(Files.writeString(folder.resolve("slow.yaml"), slow).toString());
        assertThat(err.toString())
                .startsWith("note on slow and 1 more: pcie is assumed to be 24 GB/s")
                .contains("limits a NIC of 48 GB/s")
                .hasLineCount(1);
    }

    @Test
    void equalQuestionsAreAskedOnce() throws IOException {
        assertThat(validate(cases())).isEqualTo(ExitStatus.DONE);
        assertThat(ran).hasSize(1);
        assertThat(out.toString())
                .contains("slow")
                .contains("same-question")
                .contains("+25.0 %")
                .contains("-50.0 %");
    }

    @Test
    void publishedRunsAreSimulatedEvenWhereTheLedgerFindsThemTooLarge() throws IOException {
        validate("--no-fast-forward", "--threads", "3", cases());
        assertThat(created).containsExactly(new RunOptions(3, false).running(RunOptions.TooLarge.SIMULATED));
    }

    @Test
    void onlyTakesTheCasesOfThatName() throws IOException {
        validate("--only", "same", cases());
        assertThat(out.toString()).contains("same-question").doesNotContain("slow");
        assertThat(validate("--only", "none-such", cases())).isEqualTo(ExitStatus.USAGE);
    }

    @Test
    void aFailedSimulationIsToldAndTheOthersAreReported() throws IOException {
        failing = "a";
        String text = CASES.replace(
                "scenario: b\n      cluster: {instance: p4d.24xlarge, nodes: 2}",
                "scenario: b\n      cluster: {instance: p4d.24xlarge, nodes: 4}");
        String file = Files.writeString(folder.resolve("two.yaml"), text).toString();
        assertThat(validate(file)).isEqualTo(ExitStatus.FAILED);
        assertThat(err.toString()).contains("two chunks on the wire");
        assertThat(out.toString()).contains("same-question").doesNotContain("slow");
    }

    @Test
    void everyProblemOfAFileIsToldWithItsPlace() throws IOException {
        String text = CASES.replace("role: validation", "role: judge")
                .replace("0.002", "-1")
                .replace("1 MB", "1 MX");
        String file = Files.writeString(folder.resolve("bad.yaml"), text).toString();
        assertThat(validate(file)).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString())
                .contains("bad.yaml:4:11: role judge is not one of calibration, validation")
                .contains("bad.yaml:8:")
                .contains("bad.yaml:17:");
        assertThat(ran).isEmpty();
    }
}
