package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.cli.ExitStatus;
import io.shardsim.scenarios.cli.Services;
import io.shardsim.scenarios.cli.ShardsimCommand;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.ReportFiles;
import io.shardsim.simulator.kernel.RunLimitException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The command line for a fuzzer, in its own folder; checks the exit status and everything printed. */
final class FuzzShell {
    private static final long EVENTS_MAX = 100_000;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Services services =
            new Services(options -> new PointSimulation(options.within(EVENTS_MAX)), new ReportFiles(), Main::demo);
    private final Path folder;

    FuzzShell() throws IOException {
        folder = Files.createTempDirectory("fuzz");
        folder.toFile().deleteOnExit();
    }

    /** Returns a file of the folder. */
    Path file(String name) {
        return folder.resolve(name);
    }

    /**
     * Runs a command.
     *
     * @param input text that messages may quote
     */
    Outcome outcome(List<String> arguments, String input) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        boolean[] given = {false};
        CommandLine commandLine = ShardsimCommand.commandLine(services);
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        CommandLine.IExecutionExceptionHandler handler = commandLine.getExecutionExceptionHandler();
        commandLine.setExecutionExceptionHandler((failure, command, parsed) -> {
            given[0] = failure instanceof RunLimitException;
            return handler.handleExecutionException(failure, command, parsed);
        });
        int status = commandLine.execute(arguments.toArray(String[]::new));
        String wrong = Verdicts.printed(err.toString(), input);
        if (!wrong.isEmpty()) {
            return Outcome.fault(wrong);
        }
        return switch (status) {
            case ExitStatus.DONE -> done(arguments, out.toString(), input);
            case ExitStatus.USAGE ->
                err.toString().isBlank() ? Outcome.fault("status 2 without a word") : Outcome.of(Outcome.Kind.REFUSED);
            case ExitStatus.OUT_OF_MEMORY -> Outcome.of(Outcome.Kind.TOO_LARGE);
            default ->
                given[0]
                        ? Outcome.of(Outcome.Kind.TOO_LONG)
                        : Outcome.fault("status " + status + ": "
                                + err.toString().lines().findFirst().orElse(""));
        };
    }

    /** Returns a command's standard output. */
    String printed(List<String> arguments) {
        StringWriter out = new StringWriter();
        ShardsimCommand.commandLine(services)
                .setOut(new PrintWriter(out, true))
                .execute(arguments.toArray(String[]::new));
        return out.toString();
    }

    private static Outcome done(List<String> arguments, String out, String input) {
        if (!arguments.contains("--json")) {
            String wrong = Verdicts.printed(out, input);
            return wrong.isEmpty() ? Outcome.of(Outcome.Kind.RAN) : Outcome.fault(wrong);
        }
        try {
            JSON.readTree(out);
            return Outcome.of(Outcome.Kind.RAN);
        } catch (JacksonException broken) {
            return Outcome.fault("prints what is no JSON: " + broken.getOriginalMessage());
        }
    }
}
