package io.shardsim.scenarios.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root command of {@code shardsim}: offers help and its version; the work is in the subcommands. */
@Command(
        name = "shardsim",
        mixinStandardHelpOptions = true,
        versionProvider = ShardsimCommand.PackagedVersion.class,
        description =
                "Simulates sharded data-parallel training on a cluster: how fast, why, and what would make it faster.")
public final class ShardsimCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ShardsimCommand()).execute(arguments));
    }

    /** The version in the manifest of the runnable jar; "development" when started from class folders. */
    static final class PackagedVersion implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = ShardsimCommand.class.getPackage().getImplementationVersion();
            return new String[] {"shardsim " + (version == null ? "development" : version)};
        }
    }
}
