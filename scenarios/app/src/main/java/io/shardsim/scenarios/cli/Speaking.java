package io.shardsim.scenarios.cli;

import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command with output: results on stdout, everything else on stderr. Returns an {@link ExitStatus}. */
abstract class Speaking implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    /** Runs the command; prints problems with files. */
    @Override
    public final Integer call() throws Exception {
        try {
            return answer();
        } catch (InputException refused) {
            return refuse(refused.problems());
        }
    }

    /** Does the work and returns the exit status. */
    abstract int answer() throws Exception;

    final CommandLine line() {
        return spec.commandLine();
    }

    final PrintWriter out() {
        return line().getOut();
    }

    final PrintWriter err() {
        return line().getErr();
    }

    /** Prints a message on stderr immediately. */
    final void warn(String text) {
        err().println(text);
        err().flush();
    }

    /** Prints problems with files, and returns the exit status. */
    final int refuse(List<Problem> problems) {
        ProblemPrinter.print(problems, err());
        return ExitStatus.USAGE;
    }

    /** The exception to throw for wrong usage. */
    final ParameterException refused(String message) {
        return new ParameterException(line(), message);
    }
}
