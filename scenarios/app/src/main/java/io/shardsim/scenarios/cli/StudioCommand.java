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

/** {@code studio [SCENARIO]}: serves the page in which a scenario is asked until it is interrupted. */
@Command(
        name = "studio",
        description = {
            "Serves a page in which you ask: choose a model, a cluster and a strategy, change one thing, and see what it changes.",
            "Prints the address. Only pages of that address are answered. Ends with Ctrl-C."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "1:the address cannot be listened at",
            "2:wrong usage or input",
            ExitStatus.SIGNALS + ":" + ExitStatus.BY_SIGNAL
        })
final class StudioCommand extends Speaking {
    private final Answers answers;

    @Parameters(
            paramLabel = "SCENARIO",
            arity = "0..1",
            description = "What the page opens with: a scenario file, or a name of the library. Default: an example.")
    private @Nullable String file;

    @Mixin
    private final PageAddress address = new PageAddress();

    @Option(
            names = "--token",
            paramLabel = "TEXT",
            description =
                    "What a page has to show, as part of the address. Default: none on loopback, else a random one.")
    private @Nullable String token;

    @Option(
            names = "--cluster",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "Have the workers of this cluster simulate what pages ask. See the command worker.")
    private List<String> cluster = List.of();

    @Option(
            names = "--cluster-file",
            paramLabel = "FILE",
            description =
                    "Settings of the cluster. Its TLS keys also serve the page, by HTTPS, beyond loopback. Default: SHARDSIM_CLUSTER_FILE.")
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
            out().println("Ctrl-C ends it");
            out().flush();
            if (open && !WebBrowser.open(page)) {
                warn("--open: no browser was found; open " + page + " yourself");
            }
            new CountDownLatch(1).await();
            return ExitStatus.DONE;
        } catch (IOException failure) {
            return address.refuse(failure);
        }
    }

    /** Keys of HTTPS; null on loopback, and where no cluster file has any. */
    private @Nullable SSLContext tls(InetSocketAddress place) {
        if (place.getAddress().isLoopbackAddress()) {
            return null;
        }
        ClusterSettings.Tls tls =
                RunningCluster.settings(line(), clusterFile, List.of()).tls();
        if (tls == null) {
            warn("--bind: without TLS whoever sees the network reads the token;"
                    + " name certificates in --cluster-file (docs/studio.md), or put a proxy before it");
        }
        return tls == null ? null : tls.context();
    }

    private boolean goesToCluster(String command) {
        CommandLine known = line().getParent().getSubcommands().get(command);
        return known != null && known.getCommandSpec().findOption("--cluster") != null;
    }

    /** What a page asks, as a command that the cluster works for where there is one. */
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
