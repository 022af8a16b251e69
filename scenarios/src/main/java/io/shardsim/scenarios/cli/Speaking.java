package io.shardsim.scenarios.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that says something: results on standard output, everything else on standard error. Ends with an {@link ExitStatus}. */
abstract class Speaking implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    final CommandLine line() {
        return spec.commandLine();
    }

    final PrintWriter out() {
        return line().getOut();
    }

    final PrintWriter err() {
        return line().getErr();
    }

    /** Says something on standard error at once. */
    final void warn(String text) {
        err().println(text);
        err().flush();
    }

    /** What to throw where the command is used wrongly. */
    final ParameterException refused(String message) {
        return new ParameterException(line(), message);
    }
}
