package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.demo.Demo;
import io.shardsim.scenarios.demo.DemoScenario;
import io.shardsim.scenarios.demo.DemoServer;
import io.shardsim.scenarios.demo.DemoSite;
import io.shardsim.scenarios.explaining.RunName;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code demo [SCENARIO]}: serves the teaching page until it is interrupted. */
@Command(
        name = "demo",
        description = {
            "Serves a page that animates a training step on the cluster, prints its address and opens it in your "
                    + "browser.",
            "Answers only requests from that address. Stop it with Ctrl-C. With --export, writes a "
                    + "self-contained page instead."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:the page was written",
            "1:the address is not available, or the page cannot be written",
            "2:wrong usage or input",
            ExitStatus.SIGNALS + ":" + ExitStatus.BY_SIGNAL
        })
final class DemoCommand extends Speaking {
    private static final String INDEX = "index.html";

    private final Services.DemoFactory demos;

    @Parameters(
            paramLabel = "SCENARIO",
            arity = "0..1",
            description = "Scenario file, as for run. Shows two points of its sweep that fit, side by side. Default: a "
                    + "small example.")
    private @Nullable String file;

    @Mixin
    private final SetOption set = new SetOption();

    @Mixin
    private final PageAddress address = new PageAddress();

    @Option(names = "--no-open", description = "Print the address without opening a browser.")
    private boolean noOpen;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Concurrent runs. Default: the number of cores, at least 2.")
    private int threads = Math.max(2, Runtime.getRuntime().availableProcessors());

    @Option(
            names = "--export",
            paramLabel = "DIR",
            converter = ReportFolder.class,
            description = "Write index.html into this folder and exit. It has the race, the tour and all lessons with "
                    + "their runs, and works from disk or any web server.")
    private @Nullable String export;

    DemoCommand(Services.DemoFactory demos) {
        this.demos = demos;
    }

    @Override
    int answer() throws InterruptedException, InputException, IOException {
        InetSocketAddress place = address.place();
        DemoScenario scenario =
                file == null ? DemoScenario.open(null) : ScenarioFiles.demo(RunName.of(file), set.overrides());
        Demo demo = demos.create(scenario, threads);
        if (export != null) {
            return export(demo, export);
        }
        try (DemoServer server = demo.at(place)) {
            server.start();
            PrintWriter out = out();
            out.println(server.address());
            out.println("shows " + scenario.name() + "; press Ctrl-C to stop");
            out.flush();
            if (!noOpen && Terminal.isErrorSeen()) {
                WebBrowser.open(server.address());
            }
            new CountDownLatch(1).await();
            return ExitStatus.DONE;
        } catch (IOException failure) {
            return address.refuse(failure);
        }
    }

    private int export(Demo demo, String folder) throws InterruptedException, InputException, IOException {
        Path site = ReportFolder.make(line(), folder, "--export", List.of(INDEX));
        WholeFiles.write(site, Map.of(INDEX, DemoSite.write(demo, this::warn)));
        out().println("page: " + site.resolve(INDEX));
        out().flush();
        return ExitStatus.DONE;
    }
}
