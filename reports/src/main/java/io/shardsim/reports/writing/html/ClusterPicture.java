package io.shardsim.reports.writing.html;

import io.shardsim.topology.Cluster;
import io.shardsim.topology.Fabric;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.NvLinks;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Draws a cluster as an SVG file: nodes at the bottom, and above them the switches that the routes of its {@link Fabric} pass, so that a new family needs no drawing of its own.
 * Beyond {@link #NODES_IN_FULL} nodes, GPUs and PCIe switches are a number.
 */
public final class ClusterPicture {
    private static final int NODES_IN_FULL = 8;
    private static final int LEFT = 190;
    private static final int ROW = 64;
    private static final int STEP = 48;
    private static final int BOX = 18;
    private static final int GAP = 12;
    private static final int ARC = 70;
    private static final double LETTER = 6.6;

    private final Cluster cluster;
    private final InstanceSpec instance;
    private final Fabric fabric;
    private final boolean full;
    private final int nodeWidth;
    private final int width;
    private final SvgFile svg = new SvgFile();
    /** Device of the fabric that each switch is, by its name. */
    private final Map<String, Integer> tiers = new LinkedHashMap<>();
    /** By pair of switches, their output ports towards each other [bytes/s]. */
    private final Map<List<String>, Map<String, Long>> ports = new LinkedHashMap<>();
    /** Middle of a switch or NIC. */
    private final Map<String, double[]> places = new LinkedHashMap<>();

    private int top = 40;

    private ClusterPicture(Cluster cluster) {
        this.cluster = cluster;
        instance = cluster.instance();
        fabric = instance.fabric().family().build(cluster);
        full = cluster.nodes() <= NODES_IN_FULL;
        nodeWidth = full
                ? Math.max(110, 24 * Math.max(cluster.gpusPerNode(), instance.nicsPerNode()))
                : Math.max(64, 10 * instance.nicsPerNode());
        width = LEFT + cluster.nodes() * (nodeWidth + GAP);
        for (int node = 0; node < cluster.nodes(); node++) {
            for (int other = 0; other < cluster.nodes(); other++) {
                for (int nic = 0; other != node && nic < instance.nicsPerNode(); nic++) {
                    follow(node, nic, other, nic);
                    follow(node, nic, other, (nic + 1) % instance.nicsPerNode());
                }
            }
        }
    }

    /** The file. */
    public static String of(Cluster cluster) {
        return new ClusterPicture(cluster).draw();
    }

    private void follow(int node, int nic, int other, int otherNic) {
        List<String> way = new ArrayList<>(List.of(nicName(node, nic)));
        List<String> port = new ArrayList<>(List.of(""));
        List<Long> rate = new ArrayList<>(List.of(instance.nic().effectiveRate().bytesPerSecond()));
        fabric.route(node, nic, other, otherNic, (at, device, out) -> {
            String name = fabric.switchName(at, device, out);
            tiers.putIfAbsent(name, device);
            way.add(name);
            port.add(at + "." + device + "." + out);
            rate.add(fabric.link(device, out).bandwidth().bytesPerSecond());
        });
        for (int hop = 1; hop < way.size(); hop++) {
            ports.computeIfAbsent(List.of(way.get(hop - 1), way.get(hop)), pair -> new TreeMap<>())
                    .put(port.get(hop - 1), rate.get(hop - 1));
        }
    }

    private static String nicName(int node, int nic) {
        return "nic " + node + "." + nic;
    }

    private String draw() {
        FabricSpec spec = instance.fabric();
        String title = instance.name() + ": " + cluster.nodes()
                + (cluster.nodes() == 1 ? " node" : " nodes, " + spec.kind())
                + (spec.oversubscription() > 1 ? ", oversubscription " + trimmed(spec.oversubscription()) : "");
        List<String> devices = spec.family().devices(spec, cluster.nodes());
        boolean arcs = ports.keySet().stream().anyMatch(this::isLevel);
        top += arcs ? ARC : 0;
        int nicsTop = top + ROW * (int) tiers.values().stream().distinct().count();
        int bottom = nicsTop + (full ? 3 : 2) * STEP + BOX + 24;
        svg.rect(0, 0, width, bottom, "paper");
        svg.text(8, 20, "start", "ink", title);
        svg.text(width - 8, 20, "end", "soft", "rates: one direction");
        for (int node = 0; node < cluster.nodes(); node++) {
            svg.rect(left(node), nicsTop - 6, nodeWidth, bottom - nicsTop + 4, "faint");
            spread(node, instance.nicsPerNode(), nicsTop).forEach((nic, at) -> places.put("nic " + nic, at));
        }
        for (int tier = 0; tier < devices.size(); tier++) {
            place(tier, nicsTop - ROW * (tier + 1));
        }
        drawLinks();
        for (int tier = 0; tier < devices.size(); tier++) {
            if (tiers.containsValue(tier)) {
                label(nicsTop - ROW * (tier + 1), counted(tier, devices.get(tier)), above(tier));
            }
        }
        boxes();
        label(
                nicsTop,
                instance.nicsPerNode() + (instance.nicsPerNode() == 1 ? " NIC a node" : " NICs a node"),
                bits(instance.nic().lineRate().bytesPerSecond()) + " each");
        if (full) {
            inFull(nicsTop);
        } else {
            inShort(nicsTop);
        }
        nvLinks(bottom - BOX - 24);
        return svg.close(width, bottom, title);
    }

    private boolean isLevel(List<String> pair) {
        Integer tier = tiers.get(pair.get(0));
        return tier != null && tier.equals(tiers.get(pair.get(1)));
    }

    private double left(int node) {
        return LEFT + (double) node * (nodeWidth + GAP);
    }

    /** Middles of the devices of one kind in a node, by node and index. */
    private Map<String, double[]> spread(int node, int count, double y) {
        Map<String, double[]> middles = new LinkedHashMap<>();
        double step = (nodeWidth - 8.0) / count;
        for (int i = 0; i < count; i++) {
            middles.put(node + "." + i, new double[] {left(node) + 4 + (i + 0.5) * step, y});
        }
        return middles;
    }

    /** Stands the switches of a tier side by side, in the order of what is below them. */
    private void place(int tier, int y) {
        List<String> row = new ArrayList<>(tiers.keySet());
        row.removeIf(name -> Objects.requireNonNull(tiers.get(name)) != tier);
        row.sort(Comparator.comparingDouble(this::middleBelow));
        double step = (double) (width - LEFT) / Math.max(1, row.size());
        for (int i = 0; i < row.size(); i++) {
            places.put(row.get(i), new double[] {LEFT + (i + 0.5) * step - GAP / 2.0, y, Math.min(110, step - 4)});
        }
    }

    private double middleBelow(String name) {
        return ports.keySet().stream()
                .filter(pair -> pair.get(1).equals(name) && places.containsKey(pair.get(0)))
                .mapToDouble(pair -> Objects.requireNonNull(places.get(pair.get(0)))[0])
                .average()
                .orElse(0);
    }

    private void drawLinks() {
        Set<String> leaves = new TreeSet<>();
        ports.keySet().stream()
                .filter(pair -> pair.get(0).startsWith("nic 0."))
                .forEach(pair -> leaves.add(pair.get(1)));
        for (List<String> pair : ports.keySet()) {
            double[] from = Objects.requireNonNull(places.get(pair.get(0)));
            double[] to = Objects.requireNonNull(places.get(pair.get(1)));
            if (isLevel(pair) && from[0] < to[0]) {
                arc(from, to);
            } else if (to[1] < from[1]) {
                int rail = Integer.parseInt(
                        pair.get(0).substring(pair.get(0).lastIndexOf('.') + 1).replaceAll("\\D", ""));
                boolean ofRail = leaves.size() > 1 && pair.get(0).startsWith("nic ");
                svg.line(from[0], from[1], to[0], to[1] + BOX, ofRail ? "s" + rail % 8 : "soft", "");
            }
        }
    }

    private void arc(double[] from, double[] to) {
        List<double[]> points = new ArrayList<>();
        double rise = ARC * Math.min(1, 0.25 + (to[0] - from[0]) / 900);
        for (int i = 0; i <= 16; i++) {
            double y = from[1] - rise * StrictMath.sin(Math.PI * i / 16);
            points.add(new double[] {from[0] + (to[0] - from[0]) * i / 16, y});
        }
        svg.path(points, "soft", false, "");
    }

    private void boxes() {
        tiers.forEach((name, tier) -> {
            double[] at = Objects.requireNonNull(places.get(name));
            box(at, at[2], "s" + List.of(4, 1, 3).get(Math.min(tier, 2)), name);
        });
    }

    private void box(double[] middle, double wide, String colour, String text) {
        svg.rect(middle[0] - wide / 2, middle[1], wide, BOX, colour);
        String fits = text.length() * LETTER <= wide ? text : text.substring(text.lastIndexOf(' ') + 1);
        if (!fits.isEmpty() && fits.length() * LETTER <= wide) {
            svg.text(middle[0], middle[1] + BOX - 5, "middle", "paper", fits);
        }
    }

    private void label(int y, String name, String rate) {
        svg.text(8, y + 8, "start", "ink", name);
        if (!rate.isEmpty()) {
            svg.text(8, y + 23, "start", "soft", rate);
        }
    }

    private String counted(int tier, String device) {
        long count = tiers.values().stream().filter(each -> each == tier).count();
        String word = device.toLowerCase(Locale.ROOT);
        return word.equals("leaf")
                ? count + (count == 1 ? " leaf" : " leaves")
                : tier > 0 ? word + "s" : count + " " + word + "s";
    }

    /** Rates from a tier to the next one, or among its switches. */
    private String above(int tier) {
        TreeSet<Long> rates = new TreeSet<>();
        String to = "";
        for (Map.Entry<List<String>, Map<String, Long>> pair : ports.entrySet()) {
            Integer from = tiers.get(pair.getKey().get(0));
            Integer next = tiers.get(pair.getKey().get(1));
            if (from != null && next != null && from == tier && (next > tier || isLevel(pair.getKey()))) {
                rates.add(pair.getValue().values().stream()
                        .mapToLong(rate -> rate)
                        .sum());
                to = next > tier ? "each up: " : "links: ";
            }
        }
        return rates.isEmpty()
                ? ""
                : to + (rates.size() > 1 ? bits(line(rates.first())) + " to " : "") + bits(line(rates.last()));
    }

    /** The line rate of a link whose payload rate this is. */
    private long line(long payload) {
        return StrictMath.round((double) payload
                / instance.nic().effectiveRate().bytesPerSecond()
                * instance.nic().lineRate().bytesPerSecond());
    }

    private static String bits(long bytesPerSecond) {
        double gigabits = 8e-9 * bytesPerSecond;
        return gigabits >= 1000 ? trimmed(gigabits / 1000) + " Tbit/s" : trimmed(gigabits) + " Gbit/s";
    }

    private static String trimmed(double value) {
        return String.format(Locale.ROOT, "%.2f", value).replaceFirst("\\.?0+$", "");
    }

    private static String bytes(Bandwidth rate) {
        return trimmed(1e-9 * rate.bytesPerSecond()) + " GB/s";
    }

    private void inFull(int nicsTop) {
        int pcieTop = nicsTop + STEP;
        int gpusTop = pcieTop + STEP;
        for (int node = 0; node < cluster.nodes(); node++) {
            Map<String, double[]> pcie = spread(node, instance.pcie().switches(), pcieTop);
            Map<String, double[]> gpus = spread(node, cluster.gpusPerNode(), gpusTop);
            for (int gpu = 0; gpu < cluster.gpusPerNode(); gpu++) {
                double[] at = Objects.requireNonNull(gpus.get(node + "." + gpu));
                double[] up = Objects.requireNonNull(pcie.get(node + "." + cluster.pcieSwitchOfGpu(gpu)));
                svg.line(at[0], at[1], up[0], up[1], "soft", "");
                svg.line(at[0], at[1], at[0], at[1] + STEP, "s0", "");
            }
            for (int nic = 0; nic < instance.nicsPerNode(); nic++) {
                double[] at = Objects.requireNonNull(places.get(nicName(node, nic)));
                double[] down = Objects.requireNonNull(pcie.get(node + "." + cluster.pcieSwitchOfNic(nic)));
                svg.line(at[0], at[1], down[0], down[1], "soft", "");
            }
            nics(node);
            pcie.forEach((name, at) -> box(at, (nodeWidth - 8.0) / pcie.size() - 3, "s5", ""));
            gpus.forEach(
                    (name, at) -> box(at, (nodeWidth - 8.0) / gpus.size() - 3, "s0", name.replaceFirst(".*\\.", "")));
        }
        int switches = instance.pcie().switches();
        label(
                pcieTop,
                switches + (switches == 1 ? " PCIe switch" : " PCIe switches") + " a node",
                bytes(instance.pcie().linkRate()) + " a link");
        label(gpusTop, cluster.gpusPerNode() + " x " + instance.gpu().name(), "");
    }

    private void inShort(int nicsTop) {
        int gpusTop = nicsTop + STEP;
        for (int node = 0; node < cluster.nodes(); node++) {
            nics(node);
            box(
                    new double[] {left(node) + nodeWidth / 2.0, gpusTop},
                    nodeWidth - 8.0,
                    "s0",
                    cluster.gpusPerNode() + " GPUs");
        }
        label(gpusTop, cluster.gpusPerNode() + " x " + instance.gpu().name(), "");
    }

    private void nics(int node) {
        for (int nic = 0; nic < instance.nicsPerNode(); nic++) {
            box(
                    Objects.requireNonNull(places.get(nicName(node, nic))),
                    (nodeWidth - 8.0) / instance.nicsPerNode() - 3,
                    "s2",
                    String.valueOf(nic));
        }
    }

    /** What joins the GPUs of a node, or of a domain. */
    private void nvLinks(int y) {
        boolean isPcie =
                instance.intraNode().lineRate().compareTo(instance.pcie().linkRate()) <= 0;
        NvLinks links = instance.intraNode().links();
        String name = isPcie
                ? "PCIe"
                : links == NvLinks.SWITCH
                        ? "NVSwitch"
                        : "NVLinks, " + links.id().replace('_', ' ');
        for (int first = 0; first < cluster.nodes() && cluster.gpusPerNode() > 1; first += cluster.nodesPerDomain()) {
            int last = Math.min(cluster.nodes(), first + cluster.nodesPerDomain()) - 1;
            double right = left(last) + nodeWidth - 4;
            box(new double[] {(left(first) + 4 + right) / 2, y}, right - left(first) - 4, isPcie ? "s5" : "s0", name);
        }
        for (int node = 0; node < cluster.nodes(); node++) {
            svg.text(left(node) + nodeWidth / 2.0, y + BOX + 14, "middle", "soft", "node " + node);
        }
        if (cluster.gpusPerNode() > 1) {
            label(y, name, bytes(instance.intraNode().lineRate()) + " per GPU");
        }
    }
}
