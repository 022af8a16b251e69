package io.shardsim.reports.writing.html;

import io.shardsim.reports.LinkUse;
import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.LinkClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Utilization of links, by class. */
public final class NetworkSection {

    private static final String NONE = "\u2013";

    /** Maximum number of nodes, and of kinds of clusters, that are drawn. */
    private static final int NODES_DRAWN = 4;

    private static final int PICTURES_MAX = 3;

    private final ScenarioResult result;
    private final RunNames names;

    NetworkSection(ScenarioResult result) {
        this.result = result;
        names = result.names();
    }

    /** The wiring of a kind of cluster: some of its nodes, as SVG. */
    public record Picture(String title, String svg) {}

    /** Returns a picture of each kind of cluster, drawn from the largest. */
    public List<Picture> pictures() {
        Map<InstanceSpec, Cluster> kinds = new LinkedHashMap<>();
        result.runs().stream()
                .map(run -> run.facts().cluster())
                .sorted(Comparator.comparingInt(Cluster::nodes).reversed())
                .forEach(cluster -> kinds.putIfAbsent(cluster.instance(), cluster));
        return kinds.values().stream()
                .limit(PICTURES_MAX)
                .map(NetworkSection::picture)
                .toList();
    }

    private static Picture picture(Cluster cluster) {
        int drawn = Math.min(NODES_DRAWN, cluster.nodes());
        String title = "How " + cluster.instance().name() + " is wired"
                + (drawn < cluster.nodes() ? ", " + drawn + " of " + cluster.nodes() + " nodes" : "");
        return new Picture(title, ClusterPicture.of(new Cluster(cluster.instance(), drawn, cluster.faults())));
    }

    /** A run's links, with a cell per class of {@link #linkClasses}. */
    public record LinkRow(String run, List<LinkCell> cells) {}

    /** Utilization of a class, in words and in percent for the bar. */
    public record LinkCell(String mean, String width, String title) {}

    /** Returns link classes that any run has. */
    public List<String> linkClasses() {
        return usedClasses().stream().map(Names::of).toList();
    }

    private List<LinkClass> usedClasses() {
        return Arrays.stream(LinkClass.values())
                .filter(linkClass -> result.runs().stream().anyMatch(run -> run.link(linkClass) != null))
                .toList();
    }

    /** Returns the mean utilization of each class of links, one row per run. */
    public List<LinkRow> links() {
        List<LinkRow> rows = new ArrayList<>();
        for (RunResult run : result.runs()) {
            if (!run.network().links().isEmpty()) {
                rows.add(new LinkRow(
                        names.withGpus(run),
                        usedClasses().stream()
                                .map(linkClass -> cell(run.link(linkClass)))
                                .toList()));
            }
        }
        return rows;
    }

    private static LinkCell cell(@Nullable LinkUse use) {
        return use == null
                ? new LinkCell(NONE, "0", "")
                : new LinkCell(
                        Quantities.percent(use.utilization()),
                        Quantities.fixed(Math.min(100, 100 * use.utilization()), 1),
                        "busiest: " + use.busiestPort() + ", " + Quantities.percent(use.busiestUtilization()));
    }

    private record Row(RunResult run, LinkUse use) {}

    /** Returns every figure about links. */
    public Figure.Table linkTable() {
        return new Columns<Row>()
                .words("run", row -> names.withGpus(row.run()))
                .words("links", row -> Names.of(row.use().linkClass()))
                .figure("ports", row -> Quantities.count(row.use().ports()))
                .figure("chunks", row -> Quantities.count(row.use().chunks()))
                .figure("bytes", row -> Quantities.bytes(row.use().bytes()))
                .figure("utilization", row -> Quantities.percent(row.use().utilization()))
                .figure("busiest", row -> Quantities.percent(row.use().busiestUtilization()))
                .words("busiest port", row -> row.use().busiestPort())
                .figure("queueing", row -> Quantities.seconds(row.use().queueingSeconds()))
                .figure(
                        "NIC bytes sent",
                        row -> Quantities.bytes(row.run().network().nicBytesSent()))
                .of(result.runs().stream()
                        .flatMap(run -> run.network().links().stream().map(use -> new Row(run, use)))
                        .toList());
    }
}
