package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.InstanceSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code init [FILE]}: four questions, and a scenario to begin with. */
@Command(
        name = "init",
        description = {
            "Asks for model, server, number of servers and strategy, and writes a scenario to begin with.",
            "An empty answer takes what stands in brackets. Answers may come from a pipe, a line each."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:done",
            "1:the file cannot be written",
            "2:wrong usage, or the file is there already",
            ExitStatus.SIGNALS + ":" + ExitStatus.BY_SIGNAL
        })
final class InitCommand implements Callable<Integer> {
    private static final int SEQUENCE_LENGTH = 4096;
    private static final int SAMPLES_PER_GPU = 8;
    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,8}");
    private static final String TEMPLATE = "init.yaml";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", arity = "0..1", description = "What is written. Default: ${DEFAULT-VALUE}.")
    private Path file = Path.of("scenario.yaml");

    @Override
    public Integer call() throws IOException {
        if (Files.exists(file)) {
            throw new ParameterException(spec.commandLine(), file + " is there already; name another file");
        }
        String text = template();
        try (BufferedReader answers = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String model = ask("Model (shardsim catalog models)", "llama3-8b", Catalog.modelNames(), answers);
            CatalogEntry<InstanceSpec> server = Catalog.instance(
                    ask("Server (shardsim catalog instances)", "p5.48xlarge", Catalog.instanceNames(), answers));
            String nodes = ask("How many servers", "2", List.of(), answers);
            String strategy = ask("Strategy (shardsim catalog strategies)", "fsdp", Strategies.kinds(), answers);
            int positions = Objects.requireNonNull(Catalog.model(model)).spec().maxPositions();
            long gpus = Long.parseLong(nodes)
                    * Objects.requireNonNull(server).spec().gpusPerNode();
            text = text.replace("{model}", model)
                    .replace("{server}", server.spec().name())
                    .replace("{nodes}", nodes)
                    .replace("{strategy}", strategy)
                    .replace(
                            "{sequence}",
                            String.valueOf(positions > 0 ? Math.min(SEQUENCE_LENGTH, positions) : SEQUENCE_LENGTH))
                    .replace("{batch}", String.valueOf(SAMPLES_PER_GPU * gpus));
        }
        try {
            ScenarioReader.readText(file.toString(), text);
        } catch (InputException refused) {
            ProblemPrinter.print(refused.problems(), spec.commandLine().getErr());
            return ExitStatus.USAGE;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        WholeFiles.write(file, out -> out.write(bytes));
        spec.commandLine().getOut().println("wrote " + file + "; run it: shardsim run " + file);
        spec.commandLine().getOut().flush();
        return ExitStatus.DONE;
    }

    private static String template() throws IOException {
        try (InputStream in = Objects.requireNonNull(InitCommand.class.getResourceAsStream(TEMPLATE), TEMPLATE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * The answer, asked for until it is one; the usual one where there is none. Questions go to standard error.
     *
     * @param names that an answer may have; empty where it is a number
     */
    private String ask(String question, String usual, List<String> names, BufferedReader answers) throws IOException {
        PrintWriter err = spec.commandLine().getErr();
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
                            ? answer + " is no whole number from 1; write for example " + usual
                            : answer + " is not known; " + Nearest.remedy(answer, names, "write for example " + usual));
        }
    }
}
