package io.shardsim.scenarios.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** The command line as a test uses it, and all that it has printed. */
final class Shell {
    private final Services services;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    Shell(Services services) {
        this.services = services;
    }

    /** Runs a command; returns its exit status. */
    int shardsim(String... arguments) {
        CommandLine commandLine = ShardsimCommand.commandLine(services);
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }
}
