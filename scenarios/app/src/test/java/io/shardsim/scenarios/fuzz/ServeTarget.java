package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.cli.ExitStatus;
import io.shardsim.scenarios.evaluation.RandomScenario;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A line that a program sends to {@code serve}. The answer is one message of docs/protocol.md, and a request after it is answered, too. */
final class ServeTarget implements Target {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final List<String> TYPES = List.of("run", "plan", "compare", "what-if", "fits", "cancel");
    private static final List<Map<String, Object>> OPTIONS = List.of(
            Map.of("no-trials", true, "threads", 1),
            Map.of("set", Map.of("training.micro_batch", 2), "no-trials", true),
            Map.of("set", List.of("cluster.nodes=[1,2]", "=")),
            Map.of("tokens", 3e11),
            Map.of("json", true, "no-trials", List.of(true, false)),
            Map.of("x y", Map.of("a", List.of())),
            Map.of("threads", "many"));
    private static final String AFTER = "{\"number\":2,\"type\":\"after\"}";

    private final FuzzShell shell = new FuzzShell();

    ServeTarget() throws IOException {}

    @Override
    public byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String file = RandomScenario.text(random.nextLong());
        String type = TYPES.get(random.nextInt(TYPES.size()));
        String line = JSON.writeValueAsString(Map.of(
                "number",
                1,
                "type",
                type,
                "arguments",
                type.equals("compare") ? List.of("a", "a#1") : List.of("a"),
                "texts",
                Map.of("a", random.nextInt(2) == 0 ? new Damage(random).text(file) : file),
                "options",
                OPTIONS.get(random.nextInt(OPTIONS.size()))));
        return (random.nextInt(3) == 0 ? new Damage(random).text(line) : line).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome outcome(byte[] input) {
        String line = new String(input, StandardCharsets.UTF_8).replace('\n', ' ');
        InputStream terminal = System.in;
        List<String> messages;
        try {
            System.setIn(new ByteArrayInputStream((line + "\n" + AFTER + "\n").getBytes(StandardCharsets.UTF_8)));
            messages = shell.printed(List.of("serve", "--stdio")).lines().toList();
        } finally {
            System.setIn(terminal);
        }
        JsonNode last = JSON.readTree(messages.get(messages.size() - 1));
        if (last.path("number").asInt() != 2 || last.path("status").asInt() != ExitStatus.USAGE) {
            return Outcome.fault("stops answering: " + last);
        }
        JsonNode answer = messages.stream()
                .limit(messages.size() - 1)
                .map(JSON::readTree)
                .filter(message -> message.has("status"))
                .findFirst()
                .orElse(null);
        return answer == null ? Outcome.of(Outcome.Kind.READ) : judged(answer, line);
    }

    private static Outcome judged(JsonNode answer, String line) {
        StringBuilder words = new StringBuilder();
        answer.path("problems")
                .forEach(problem -> words.append(problem.asString()).append('\n'));
        answer.path("notes").forEach(note -> words.append(note.asString()).append('\n'));
        String wrong = Verdicts.printed(words.toString(), line);
        if (!wrong.isEmpty()) {
            return Outcome.fault(wrong);
        }
        return switch (answer.path("status").asInt()) {
            case ExitStatus.DONE -> Outcome.of(Outcome.Kind.RAN);
            case ExitStatus.USAGE ->
                words.isEmpty() ? Outcome.fault("status 2 without a word") : Outcome.of(Outcome.Kind.REFUSED);
            case ExitStatus.OUT_OF_MEMORY -> Outcome.of(Outcome.Kind.TOO_LARGE);
            default ->
                words.indexOf("events to execute") >= 0
                        ? Outcome.of(Outcome.Kind.TOO_LONG)
                        : Outcome.fault("status " + answer.path("status") + ": " + words);
        };
    }
}
