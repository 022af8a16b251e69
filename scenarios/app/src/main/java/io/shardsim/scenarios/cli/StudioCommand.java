package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.cluster.Build;
import io.shardsim.scenarios.cluster.ClusterSettings;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.studio.Answering;
import io.shardsim.scenarios.studio.StudioOffer;
import io.shardsim.scenarios.studio.StudioServer;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code studio [SCENARIO]}: serves the what-if page until it is interrupted. */
@Command(
        name = "studio",
        description = {
            "Serves a what-if web page: choose a model, a cluster and a strategy, change one thing, and see its "
                    + "effect.",
            "Prints the address and answers only requests from it. Stop it with Ctrl-C."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "1:the address is not available",
            "2:wrong usage or input",
            ExitStatus.SIGNALS + ":" + ExitStatus.BY_SIGNAL
        })
final class StudioCommand extends Speaking {
    private final Answers answers;

    @Parameters(
            paramLabel = "SCENARIO",
            arity = "0..1",
            description = "Scenario file or library name to open with. Default: an example.")
    private @Nullable String file;

    @Mixin
    private final PageAddress address = new PageAddress();

    @Option(
            names = "--token",
            paramLabel = "TEXT",
            description = "Token that the address must contain. Default: none on loopback, else a random one.")
    private @Nullable String token;

    @Option(
            names = "--cluster",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "Simulate on the workers of this cluster. See shardsim worker.")
    private List<String> cluster = List.of();

    @Option(
            names = "--cluster-file",
            paramLabel = "FILE",
            description = "Cluster settings file. Beyond loopback, its TLS keys also serve the page over HTTPS. "
                    + "Default: SHARDSIM_CLUSTER_FILE.")
    private @Nullable String clusterFile;

    @Option(names = "--open", description = "Open the page in your browser.")
    private boolean open;

    StudioCommand(Answers answers) {
        this.answers = answers;
    }

    @Override
    int answer() throws InterruptedException, InputException {
        InetSocketAddress place = address.place();
        String shown = token != null ? token : place.getAddress().isLoopbackAddress() ? "" : randomToken();
        StudioOffer offer = StudioOffer.of(Build.current().toString(), file == null ? null : ScenarioFiles.open(file));
        try (StudioServer server = new StudioServer(this::request, offer, place, shown, tls(place))) {
            server.start();
            server.prepare();
            String page = server.address() + (shown.isEmpty() ? "" : "?token=" + shown);
            out().println(page);
            out().println("press Ctrl-C to stop");
            out().flush();
            if (open && !WebBrowser.open(page)) {
                warn("--open: no browser found; open " + page + " yourself");
            }
            new CountDownLatch(1).await();
            return ExitStatus.DONE;
        } catch (IOException failure) {
            return address.refuse(failure);
        }
    }

    /** The HTTPS keys; null on loopback, or if no cluster file has any. */
    private @Nullable SSLContext tls(InetSocketAddress place) {
        if (place.getAddress().isLoopbackAddress()) {
            return null;
        }
        ClusterSettings.Tls tls =
                RunningCluster.settings(line(), clusterFile, List.of()).tls();
        if (tls == null) {
            warn("--bind: without TLS, anyone on the network can read the token; name certificates in "
                    + "--cluster-file (docs/studio.md), or use a TLS proxy");
        }
        return tls == null ? null : tls.context();
    }

    private boolean goesToCluster(String command) {
        CommandLine known = line().getParent().getSubcommands().get(command);
        return known != null && known.getCommandSpec().findOption("--cluster") != null;
    }

    /** Runs a page's request as a command, on the cluster if there is one. */
    private Answering.Pending request(JsonNode asked, ProgressListener progress) {
        if (cluster.isEmpty() || !goesToCluster(asked.path("type").asString())) {
            return answers.request(asked, progress);
        }
        ObjectNode sent = ((ObjectNode) asked).deepCopy();
        ObjectNode options = sent.withObjectProperty("options").put("cluster", String.join(",", cluster));
        if (clusterFile != null) {
            options.put("cluster-file", clusterFile);
        }
        return answers.request(sent, progress);
    }

    private static String randomToken() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
