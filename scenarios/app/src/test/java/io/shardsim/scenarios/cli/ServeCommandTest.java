package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests on standard input and their answers, as docs/protocol.md has them. */
class ServeCommandTest {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Path REPORTS = Path.of("build", "reports");

    private Shell shell = new Shell(Main.services());

    private List<JsonNode> answers(InputStream requests) {
        InputStream terminal = System.in;
        try {
            System.setIn(requests);
            assertThat(shell.shardsim("serve", "--stdio")).isZero();
        } finally {
            System.setIn(terminal);
        }
        List<JsonNode> messages = shell.out().lines().map(JSON::readTree).toList();
        assertThat(messages.get(0).path("type").asString()).isEqualTo("hello");
        assertThat(messages.get(0).path("version").asInt()).isEqualTo(1);
        return messages.stream()
                .skip(1)
                .filter(message -> !message.path("type").asString().equals("progress"))
                .toList();
    }

    private List<JsonNode> answers(String... lines) {
        return answers(new ByteArrayInputStream(String.join("\n", lines).getBytes(StandardCharsets.UTF_8)));
    }

    private static String run(int number, String yaml, Map<String, Object> options) {
        return JSON.writeValueAsString(Map.of(
                "number",
                number,
                "type",
                "run",
                "arguments",
                List.of("mine"),
                "texts",
                Map.of("mine", yaml),
                "options",
                options));
    }

    @Test
    @Tag("slow")
    void theAnswerIsTheDocumentOfTheCommandAndItsRows(@TempDir Path folder) throws Exception {
        Shell command = new Shell(Main.services());
        String file = Shell.file(folder, Shell.SWEPT);
        assertThat(command.shardsim(
                        "run",
                        file,
                        "--json",
                        "--no-trials",
                        "-o",
                        folder.resolve("r").toString()))
                .isZero();
        JsonNode printed = JSON.readTree(command.out());

        List<JsonNode> answers = answers(run(7, Shell.SWEPT, Map.of("no-trials", true)));

        assertThat(answers).hasSize(1);
        JsonNode answer = answers.get(0);
        assertThat(answer.path("type").asString()).isEqualTo("result");
        assertThat(answer.path("number").asInt()).isEqualTo(7);
        assertThat(answer.path("status").asInt()).isZero();
        assertThat(withoutWallTime(answer.path("document").toString())).isEqualTo(withoutWallTime(printed.toString()));
        List<String> lines = Files.readAllLines(folder.resolve("r/results.csv"));
        assertThat(answer.path("rows")).hasSize(lines.size() - 1);
        assertThat(answer.path("rows").get(1).propertyNames())
                .containsAll(List.of(lines.get(0).split(",")));
        assertThat(answer.path("rows").get(1).path("step_seconds"))
                .isEqualTo(answer.at("/document/runs/1/step_seconds"));
    }

    private static String withoutWallTime(String document) {
        return document.replaceAll("\"wall_seconds\":[^,]*", "");
    }

    @Test
    void aTextIsNoFileOfItsName(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("results.json"), "{}");
        String name = folder.toString();
        List<JsonNode> answers = answers(JSON.writeValueAsString(Map.of(
                "number", 1, "type", "compare", "arguments", List.of(name, name), "texts", Map.of(name, "nothing"))));
        assertThat(answers.get(0).path("problems").toString())
                .contains("nothing is a string")
                .doesNotContain("results.json");
    }

    @Test
    @Tag("slow")
    void requestsLeaveNoFilesBehind() throws IOException {
        String yaml = Shell.SWEPT.replace("scenario: small", "scenario: left-by-serve");
        assertThat(answers(run(1, yaml, Map.of()))).hasSize(1);
        assertThat(REPORTS.resolve("left-by-serve")).doesNotExist();
    }

    @Test
    void allProblemsOfAScenarioComeAtOnceAndTheServerGoesOn() {
        String wrong = Shell.SMALL.replace("fsdp2", "fsdp3").replace("global_batch: 32", "global_batch: 0");
        List<JsonNode> answers = answers(run(1, wrong, Map.of()), run(2, "- 1", Map.of()));
        assertThat(answers).hasSize(2);
        assertThat(answers.get(0).path("type").asString()).isEqualTo("problems");
        assertThat(answers.get(0).path("status").asInt()).isEqualTo(ExitStatus.USAGE);
        assertThat(answers.get(0).path("problems").toString())
                .contains("mine:5:18", "did you mean fsdp", "mine:4:", "global_batch");
        assertThat(answers.get(1).path("number").asInt()).isEqualTo(2);
        assertThat(answers.get(1).path("problems")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "run it | not a request: a line is one JSON object of at most 16777216 characters",
                "[1] | not a request: a line is one JSON object of at most 16777216 characters",
                "{\"number\":1} | type is missing; known: run, plan,",
                "{\"number\":1,\"type\":\"rnu\"} | type rnu is not known; did you mean run?",
                "{\"number\":1,\"type\":\"serve\"} | type serve is not known; known: run, plan,",
                "{\"number\":1,\"type\":\"worker\"} | type worker is not known; ",
                "{\"type\":\"run\"} | write a whole number that no open request uses",
                "{\"number\":1.5,\"type\":\"run\"} | number is 1.5; write a whole number",
                "{\"number\":1,\"type\":\"run\"} | Missing required parameter: 'FILE'",
                "{\"number\":1,\"type\":\"run\",\"arguments\":[\"none.yaml\"]} | none.yaml: no such file",
                "{\"number\":1,\"type\":\"run\",\"arguments\":[\"--help\"]} | --help: ",
                "{\"number\":1,\"type\":\"run\",\"arguments\":[\"@a\"]} | @a: ",
                "{\"number\":1,\"type\":\"fits\",\"arguments\":[\"x\"],\"options\":{\"gpus\":\"l4\"}} | unknown option --gpus=l4; ",
                "{\"number\":1,\"type\":\"fits\",\"arguments\":[\"llama3-8b\"],\"options\":{\"gpu\":\"h1\"}} | h1",
            })
    void whatCannotBeAnsweredIsRefusedWithItsReason(String line, String problem) {
        List<JsonNode> answers = answers(line);
        assertThat(answers).hasSize(1);
        assertThat(answers.get(0).path("type").asString()).isEqualTo("problems");
        assertThat(answers.get(0).path("problems").get(0).asString()).contains(problem.strip());
    }

    @Test
    void aLineThatIsTooLongIsPassedOver() {
        List<JsonNode> answers = answers("\"" + "x".repeat(17 << 20) + "\"", "{\"number\":3,\"type\":\"?\"}");
        assertThat(answers).hasSize(2);
        assertThat(answers.get(0).path("problems").get(0).asString()).startsWith("not a request");
        assertThat(answers.get(1).path("number").asInt()).isEqualTo(3);
    }

    /** The first runs until it is cancelled; the second has not begun by then. */
    @Test
    void cancelEndsWhatRunsAndWhatWaits() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        shell = new Shell(
                new Services(options -> new Stalled(began), Main.services().reports(), Main::demo));
        try (PipedOutputStream to = new PipedOutputStream();
                PipedInputStream requests = new PipedInputStream(to, 1 << 16)) {
            List<JsonNode> answers = new ArrayList<>();
            Thread server = new Thread(() -> answers.addAll(answers(requests)));
            server.start();
            write(to, run(1, Shell.SWEPT, Map.of("no-trials", true, "threads", 1)));
            began.await();
            write(to, run(2, Shell.SMALL, Map.of()));
            write(to, run(2, Shell.SMALL, Map.of()));
            write(to, "{\"number\":2,\"type\":\"cancel\"}");
            write(to, "{\"number\":1,\"type\":\"cancel\"}");
            write(to, "{\"number\":99,\"type\":\"cancel\"}");
            write(to, run(3, "scenario: none", Map.of()));
            to.close();
            server.join();
            assertThat(answers.stream().map(each -> each.path("number").asInt() + " " + each.path("status")))
                    .containsExactly("2 2", "1 130", "2 130", "3 2");
            assertThat(answers.get(0).path("problems").get(0).asString())
                    .contains("is used by a request that is still open");
        }
    }

    private static void write(PipedOutputStream to, String line) throws IOException {
        to.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        to.flush();
    }

    @Test
    void aLineThatIsCutIsRefused() {
        String whole = run(5, Shell.SMALL, Map.of("no-trials", true));
        List<String> lines = new ArrayList<>();
        for (int cut = 1; cut < whole.length(); cut += 7) {
            lines.add(whole.substring(0, cut));
        }
        assertThat(answers(lines.toArray(String[]::new)))
                .hasSameSizeAs(lines)
                .allMatch(answer -> answer.path("type").asString().equals("problems"));
    }

    /** Never comes to an end. */
    private record Stalled(CountDownLatch began) implements ScenarioRunner {
        @Override
        public RunResult run(ScenarioPoint point) throws InterruptedException {
            began.countDown();
            new CountDownLatch(1).await();
            throw new IllegalStateException();
        }

        @Override
        public void close() {}
    }
}
