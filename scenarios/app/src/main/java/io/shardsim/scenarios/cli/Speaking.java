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

/** A command that says something: results on standard output, everything else on standard error. Ends with an {@link ExitStatus}. */
abstract class Speaking implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    /** Does what the command is for; what is wrong with a file is told. */
    @Override
    public final Integer call() throws Exception {
        try {
            return answer();
        } catch (InputException refused) {
            return refuse(refused.problems());
        }
    }

    /** The exit status. */
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

    /** Says something on standard error at once. */
    final void warn(String text) {
        err().println(text);
        err().flush();
    }

    /** Says what is wrong with files; the exit status. */
    final int refuse(List<Problem> problems) {
        ProblemPrinter.print(problems, err());
        return ExitStatus.USAGE;
    }

    /** What to throw where the command is used wrongly. */
    final ParameterException refused(String message) {
        return new ParameterException(line(), message);
    }
}
