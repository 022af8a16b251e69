package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code init [FILE]}: asks four questions and writes a first scenario. */
@Command(
        name = "init",
        description = {
            "Asks for model, server, number of servers and strategy, and writes a starter scenario.",
            "An empty answer takes the default in brackets. Answers can be piped in, one per line."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:done",
            "1:the file cannot be written",
            "2:wrong usage, or the file is there already",
            ExitStatus.SIGNALS + ":" + ExitStatus.BY_SIGNAL
        })
final class InitCommand extends Speaking {
    private static final int SEQUENCE_LENGTH = 4096;
    private static final int SAMPLES_PER_GPU = 8;
    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,8}");
    private static final String TEMPLATE = "init.yaml";

    /** Answers by placeholder. */
    private final Map<String, String> said = new HashMap<>();

    @Parameters(paramLabel = "FILE", arity = "0..1", description = "File to write. Default: ${DEFAULT-VALUE}.")
    private Path file = Path.of("scenario.yaml");

    @Override
    int answer() throws IOException, InputException {
        if (Files.exists(file)) {
            throw refused(file + " is there already; name another file");
        }
        String text = template();
        try (BufferedReader answers = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            text = asked(text, "model", "Model (shardsim catalog models)", Catalog.modelNames(), answers);
            text = asked(text, "server", "Server (shardsim catalog instances)", Catalog.instanceNames(), answers);
            text = asked(text, "nodes", "How many servers", List.of(), answers);
            text = asked(text, "strategy", "Strategy (shardsim catalog strategies)", Strategies.kinds(), answers);
        }
        int positions =
                Objects.requireNonNull(Catalog.model(said("model"))).spec().maxPositions();
        long gpus = Long.parseLong(said("nodes"))
                * Objects.requireNonNull(Catalog.instance(said("server")))
                        .spec()
                        .gpusPerNode();
        text = text.replace(
                        "{sequence}",
                        String.valueOf(positions > 0 ? Math.min(SEQUENCE_LENGTH, positions) : SEQUENCE_LENGTH))
                .replace("{batch}", String.valueOf(SAMPLES_PER_GPU * gpus));
        ScenarioReader.readText(file.toString(), text);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        WholeFiles.write(file, out -> out.write(bytes));
        out().println("wrote " + file + "; run it: shardsim run " + file);
        out().flush();
        return ExitStatus.DONE;
    }

    /** Asks a question and replaces its placeholders with the answer; the first placeholder contains the default. */
    private String asked(String text, String place, String question, List<String> names, BufferedReader answers)
            throws IOException {
        Matcher first = Pattern.compile("\\{" + place + ":([^}]+)}").matcher(text);
        if (!first.find()) {
            throw new IllegalStateException(TEMPLATE + " has no place for " + place);
        }
        String answer = ask(question, first.group(1), names, answers);
        said.put(place, answer);
        return text.replace(first.group(), answer).replace("{" + place + "}", answer);
    }

    private String said(String place) {
        return Objects.requireNonNull(said.get(place), place);
    }

    private static String template() throws IOException {
        try (InputStream in = Objects.requireNonNull(InitCommand.class.getResourceAsStream(TEMPLATE), TEMPLATE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Asks until the answer is valid; an empty answer is the default. Questions go to stderr.
     *
     * @param names allowed answers; empty if the answer is a number
     */
    private String ask(String question, String usual, List<String> names, BufferedReader answers) throws IOException {
        PrintWriter err = err();
        while (true) {
            err.print(question + " [" + usual + "]: ");
            err.flush();
            String line = answers.readLine();
            String answer = line == null || line.isBlank() ? usual : line.strip();
            if (names.isEmpty() ? NUMBER.matcher(answer).matches() : names.contains(answer)) {
                return answer;
            }
            err.println(
                    names.isEmpty()
                            ? answer + " is not a whole number of at least 1; write for example " + usual
                            : answer + " is not known; " + Nearest.remedy(answer, names, "write for example " + usual));
        }
    }
}
