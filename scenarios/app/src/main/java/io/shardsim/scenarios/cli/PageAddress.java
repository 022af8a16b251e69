package io.shardsim.scenarios.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Address on which a command serves a page. */
final class PageAddress {
    private static final int PORT_MAX = 65_535;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--port", paramLabel = "N", description = "Port to listen on. Default: a free one.")
    private int port;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            description = "Address to listen on. Default: loopback. Any other address opens the page to the network.")
    private String bind = "127.0.0.1";

    /** The socket address; wrong usage if this machine does not have it. */
    InetSocketAddress place() {
        if (port < 0 || port > PORT_MAX) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--port " + port + " is not between 0 and " + PORT_MAX + "; leave it out to get a free one");
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(bind), port);
        } catch (UnknownHostException unknown) {
            throw new ParameterException(
                    spec.commandLine(), "--bind " + bind + " is not an address of this machine; leave it out", unknown);
        }
    }

    /** Prints why the address cannot be used, and returns the exit status. */
    int refuse(IOException failure) {
        spec.commandLine()
                .getErr()
                .println(spec.qualifiedName() + ": cannot listen on " + bind + " port " + port + ": "
                        + failure.getMessage() + "; leave out --port to get a free one");
        return ExitStatus.FAILED;
    }
}
