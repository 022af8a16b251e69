package io.shardsim.scenarios.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code version}: the same as {@code --version}. */
@Command(name = "version", description = "Prints the version.")
final class VersionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        for (String line : spec.root().version()) {
            spec.commandLine().getOut().println(line);
        }
        return ExitStatus.DONE;
    }
}
