package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.studio.Answering;
import io.shardsim.simulator.Nearest;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/**
 * Answers requests from programs and pages. A request is a command with its options; it runs in this JVM, and its {@code --json} output is the
 * answer, as {@code docs/protocol.md} describes.
 */
final class Answers implements Answering {
    private final Services services;

    Answers(Services services) {
        this.services = services;
    }

    @Override
    public Answering.Pending request(JsonNode asked, ProgressListener progress) {
        Request request = new Request(texts(asked), progress);
        return new Answering.Pending() {
            @Override
            public Answer answer() {
                return new Answer(
                        Answers.this.answer(asked.path("type").asString(""), asked, request), request.results());
            }

            @Override
            public void cancel() {
                request.cancel();
            }
        };
    }

    /** The files in a request, by name: strings as they are, anything else as JSON, which is valid YAML. */
    static Map<String, String> texts(JsonNode asked) {
        Map<String, String> texts = new HashMap<>();
        asked.path("texts").properties().forEach(text -> texts.put(text.getKey(), plain(text.getValue())));
        return texts;
    }

    /** Runs a command for a request; a failure is also an answer. */
    ObjectNode answer(String type, JsonNode asked, Request request) {
        try {
            StringWriter out = new StringWriter();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            CommandLine commandLine = ShardsimCommand.commandLine(services)
                    .setOut(new PrintWriter(out))
                    .setErr(new PlainWriter(err))
                    .setExpandAtFiles(false)
                    .setParameterExceptionHandler((refused, arguments) -> {
                        refused.getCommandLine().getErr().println(ShardsimCommand.told(refused));
                        return ExitStatus.USAGE;
                    });
            List<String> known = known(commandLine);
            if (!known.contains(type)) {
                String why = type.isEmpty() ? "type is missing; " : "type " + type + " is not known; ";
                return problems(ExitStatus.USAGE, List.of(why + Nearest.remedy(type, known)));
            }
            int status = request.run(() -> commandLine.execute(words(type, asked)));
            commandLine.getErr().flush();
            List<String> told = err.toString(StandardCharsets.UTF_8).lines().toList();
            return out.getBuffer().isEmpty() ? problems(status, told) : result(status, out.toString(), told, request);
        } catch (Throwable failure) {
            return problems(ExitStatus.FAILED, List.of(ShardsimCommand.told(failure)));
        }
    }

    /** Commands with {@code --json}, which programs can request. */
    private static List<String> known(CommandLine commandLine) {
        return commandLine.getSubcommands().entrySet().stream()
                .filter(each -> each.getValue().getCommandSpec().findOption("--json") != null)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static String[] words(String type, JsonNode asked) {
        List<String> words = new ArrayList<>(List.of(type, "--json"));
        asked.path("options").properties().forEach(each -> addOption(words, "--" + each.getKey(), each.getValue()));
        words.add("--");
        asked.path("arguments").forEach(argument -> words.add(plain(argument)));
        return words.toArray(String[]::new);
    }

    private static void addOption(List<String> words, String name, JsonNode value) {
        if (value.isArray()) {
            value.forEach(each -> addOption(words, name, each));
        } else if (value.isObject()) {
            value.properties().forEach(each -> words.add(name + "=" + each.getKey() + "=" + plain(each.getValue())));
        } else if (value.isBoolean()) {
            words.addAll(value.booleanValue() ? List.of(name) : List.of());
        } else if (!value.isNull()) {
            words.add(name + "=" + plain(value));
        }
    }

    /** A string as it is, anything else as JSON, which is valid YAML. */
    private static String plain(JsonNode value) {
        return value.isString() ? value.stringValue() : value.toString();
    }

    private ObjectNode result(int status, String printed, List<String> notes, Request request) {
        ObjectNode result = message("result").put("status", status);
        try {
            JsonMapper.shared().readTree(printed);
            result.putRawValue("document", new RawValue(printed.replaceAll("[\r\n]\\s*", "")));
        } catch (JacksonException noJson) {
            result.put("text", printed);
        }
        List<Map<String, @Nullable Object>> rows = request.rows();
        if (!rows.isEmpty()) {
            result.set("rows", JsonMapper.shared().valueToTree(rows));
        }
        result.set("notes", JsonMapper.shared().valueToTree(notes));
        return result;
    }

    static ObjectNode problems(int status, List<String> problems) {
        ObjectNode message = message("problems").put("status", status);
        message.set("problems", JsonMapper.shared().valueToTree(problems));
        return message;
    }

    static ObjectNode message(String type) {
        return JsonMapper.shared().createObjectNode().put("type", type);
    }
}
