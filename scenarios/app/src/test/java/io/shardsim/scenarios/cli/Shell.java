package io.shardsim.scenarios.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/** The command line as a test uses it, and all that it has printed. */
final class Shell {
    /** A scenario that runs in a moment. */
    static final String SMALL = """
            scenario: small
            model: {hidden: 1024, layers: 2, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 32, micro_batch: 2}
            strategy: {kind: fsdp2}
            """;

    /** The same with two points. */
    static final String SWEPT = SMALL + "sweep:\n  cluster.nodes: [1, 2]\n";

    private final Services services;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    Shell(Services services) {
        this.services = services;
    }

    /** Writes a file; returns its name as an argument. */
    static String file(Path folder, String text) throws IOException {
        return file(folder, "a.yaml", text);
    }

    static String file(Path folder, String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    /** Runs a command; returns its exit status. */
    int shardsim(String... arguments) {
        CommandLine commandLine = ShardsimCommand.commandLine(services);
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    Services services() {
        return services;
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }
}
