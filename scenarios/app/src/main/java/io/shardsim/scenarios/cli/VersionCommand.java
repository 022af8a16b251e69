package io.shardsim.scenarios.cli;

import picocli.CommandLine.Command;

/** {@code version}: the same as {@code --version}. */
@Command(name = "version", description = "Prints the version.")
final class VersionCommand extends Speaking {
    @Override
    int answer() {
        for (String line : line().getCommandSpec().root().version()) {
            out().println(line);
        }
        return ExitStatus.DONE;
    }
}
