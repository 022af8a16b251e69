package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.html.ClusterPicture;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.InstanceSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a picture of nodes and fabric. Keys of the fabric, and error messages about them, are those of a scenario. */
final class PictureOptions {
    private static final int NODES = 4;
    /** With more nodes a picture is unreadable. */
    private static final int NODES_MAX = 72;

    @Option(names = "--svg", description = "Draw the nodes of an instance and their fabric as SVG.")
    private boolean svg;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "With --svg: number of nodes. Default: 4, or two NVLink domains if they span nodes.")
    private @Nullable Integer nodes;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "With --svg: set a cluster key, for example cluster.fabric=rail_optimized.")
    private List<String> set = List.of();

    @Option(names = "-o", paramLabel = "FILE", description = "With --svg: write to a file.")
    private @Nullable Path file;

    boolean asked() {
        return svg;
    }

    /** Rejects options that need a picture if none was requested. */
    void refuse(Speaking command) {
        if (nodes != null || !set.isEmpty() || file != null) {
            throw command.refused("--nodes, --set and -o need --svg; write catalog instances p5.48xlarge --svg");
        }
    }

    void draw(String instance, Speaking command) throws InputException, IOException {
        if (set.stream().anyMatch(each -> each.matches("(cluster\\.)?(nodes|instance)=.*"))) {
            throw command.refused(
                    "--set " + set + ": NAME, " + instance + ", and --nodes set that; change those " + "instead");
        }
        if (nodes != null && (nodes < 1 || nodes > NODES_MAX)) {
            throw command.refused("--nodes " + nodes + " is not from 1 to " + NODES_MAX);
        }
        String picture = ClusterPicture.of(cluster(instance));
        if (file == null) {
            command.out().print(picture);
            command.out().flush();
        } else {
            Files.writeString(file, picture);
        }
    }

    private Cluster cluster(String instance) throws InputException {
        CatalogEntry<InstanceSpec> entry = Catalog.instance(instance);
        int domain = entry == null ? 1 : entry.spec().fabric().nodesPerDomain();
        int drawn = nodes != null ? nodes : domain > 1 ? 2 * domain : NODES;
        String text = "{scenario: picture, cluster: {instance: '" + instance.replace("'", "''") + "', nodes: " + drawn
                + "}, workload: {collective: all_reduce, size: 1 MiB}}";
        OpenedFile scenario =
                OpenedFile.stream("catalog", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        Scenario read = ScenarioReader.read(scenario, Overrides.of("--set", set));
        return read.points().get(0).cluster();
    }
}
