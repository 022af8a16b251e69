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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Draws a cluster as an SVG file: nodes at the bottom, and above them the switches on the routes of its {@link Fabric}, so that a new fabric family
 * needs no drawing code.
 */
public final class ClusterPicture {
    private static final int LEFT = 190;
    private static final int TOP = 40;
    private static final int ROW = 64;
    private static final int STEP = 48;
    private static final int BOX = 18;
    private static final int GAP = 12;
    private static final int ARC = 70;
    private static final double LETTER = 6.6;
    private static final Map<String, String> COLOURS = Map.of("nic", "s2", "pcie", "s5", "gpu", "s0");

    private final Cluster cluster;
    private final InstanceSpec instance;
    private final Fabric fabric;
    private final int nodeWidth;
    private final SvgFile svg = new SvgFile();
    /** Fabric devices of the switches, by name. */
    private final Map<String, Integer> tiers = new LinkedHashMap<>();
    /** Output ports between each pair of switches [bytes/s]. */
    private final Map<List<String>, Map<String, Long>> ports = new LinkedHashMap<>();
    /** Boxes by name: middle, top and width. */
    private final Map<String, double[]> places = new LinkedHashMap<>();

    private ClusterPicture(Cluster cluster) {
        this.cluster = cluster;
        instance = cluster.instance();
        fabric = instance.fabric().family().build(cluster);
        nodeWidth = Math.max(110, 24 * Math.max(cluster.gpusPerNode(), instance.nicsPerNode()));
        for (int node = 0; node < cluster.nodes(); node++) {
            for (int other = 0; other < cluster.nodes(); other++) {
                for (int nic = 0; other != node && nic < instance.nicsPerNode(); nic++) {
                    follow(node, nic, other, nic);
                    follow(node, nic, other, (nic + 1) % instance.nicsPerNode());
                }
            }
        }
    }

    /** Returns the file. */
    public static String of(Cluster cluster) {
        return new ClusterPicture(cluster).draw();
    }

    private void follow(int node, int nic, int other, int otherNic) {
        String[] last = {"nic " + node + "." + nic, ""};
        long[] rate = {0};
        fabric.route(node, nic, other, otherNic, (at, device, out) -> {
            String name = fabric.switchName(at, device, out);
            tiers.putIfAbsent(name, device);
            ports.computeIfAbsent(List.of(last[0], name), pair -> new TreeMap<>())
                    .put(last[1], rate[0]);
            last[0] = name;
            last[1] = at + "." + device + "." + out;
            rate[0] = fabric.link(device, out).bandwidth().bytesPerSecond();
        });
    }

    private String draw() {
        FabricSpec spec = instance.fabric();
        String title = instance.name() + ": " + cluster.nodes()
                + (cluster.nodes() == 1 ? " node" : " nodes, " + spec.kind())
                + (spec.oversubscription() > 1 ? ", oversubscription " + trimmed(spec.oversubscription()) : "");
        int width = LEFT + cluster.nodes() * (nodeWidth + GAP);
        int nics = TOP
                + (ports.keySet().stream().anyMatch(this::isLevel) ? ARC : 0)
                + ROW * (int) tiers.values().stream().distinct().count();
        int bottom = nics + 3 * STEP + BOX + 24;
        svg.rect(0, 0, width, bottom, "paper");
        svg.text(8, 20, "start", "ink", title);
        svg.text(width - 8, 20, "end", "soft", "rates: one direction");
        for (int node = 0; node < cluster.nodes(); node++) {
            svg.rect(left(node), nics - 6, nodeWidth, bottom - nics + 4, "faint");
            svg.text(left(node) + nodeWidth / 2.0, bottom - 10, "middle", "soft", "node " + node);
            place("nic " + node, instance.nicsPerNode(), nics);
            place("pcie " + node, instance.pcie().switches(), nics + STEP);
            place("gpu " + node, cluster.gpusPerNode(), nics + 2 * STEP);
            drawLinks(node);
        }
        Bandwidth slow = cluster.slowNicRate();
        label(
                nics,
                "NICs: " + instance.nicsPerNode() + " a node",
                line(nicRate(false)) + " each"
                        + (slow == null ? "" : ", Node[0].Nic[0] " + line(slow.bytesPerSecond())));
        label(
                nics + STEP,
                "PCIe switches: " + instance.pcie().switches() + " a node",
                bytes(instance.pcie().linkRate()));
        label(nics + 2 * STEP, cluster.gpusPerNode() + " x " + instance.gpu().name(), "");
        List<String> devices = spec.family().devices(spec, cluster.nodes());
        for (int tier = 0; tier < devices.size() && tiers.containsValue(tier); tier++) {
            int y = nics - ROW * (tier + 1);
            int count = place(tier, y, width - LEFT);
            String device = devices.get(tier).toLowerCase(Locale.ROOT);
            label(y, tier == 0 ? count + " x " + device : device + "s", above(tier));
        }
        drawFabric();
        places.forEach((name, at) -> box(at, colour(name), text(name)));
        drawNvLinks(nics + 3 * STEP);
        return svg.close(width, bottom, title);
    }

    private double left(int node) {
        return LEFT + (double) node * (nodeWidth + GAP);
    }

    private double[] at(String name) {
        return Objects.requireNonNull(places.get(name), name);
    }

    /** Places the devices of one kind in a node. */
    private void place(String kind, int count, int y) {
        double step = (nodeWidth - 8.0) / count;
        double left = left(Integer.parseInt(kind.substring(kind.indexOf(' ') + 1))) + 4;
        for (int i = 0; i < count; i++) {
            places.put(kind + "." + i, new double[] {left + (i + 0.5) * step, y, step - 3});
        }
    }

    /** Places the switches of a tier in a row, in the order of the devices below; returns their number. */
    private int place(int tier, int y, int width) {
        List<String> row = new ArrayList<>(tiers.keySet());
        row.removeIf(name -> Objects.requireNonNull(tiers.get(name)) != tier);
        row.sort(Comparator.comparingDouble(name -> ports.keySet().stream()
                .filter(pair -> pair.get(1).equals(name) && places.containsKey(pair.get(0)))
                .mapToDouble(pair -> at(pair.get(0))[0])
                .average()
                .orElse(0)));
        double step = (double) width / row.size();
        for (int i = 0; i < row.size(); i++) {
            places.put(row.get(i), new double[] {LEFT + (i + 0.5) * step - GAP / 2.0, y, Math.min(110, step - 4)});
        }
        return row.size();
    }

    private void drawLinks(int node) {
        for (int gpu = 0; gpu < cluster.gpusPerNode(); gpu++) {
            double[] from = at("gpu " + node + "." + gpu);
            drawLine(from, at("pcie " + node + "." + cluster.pcieSwitchOfGpu(gpu)), "soft");
            svg.line(from[0], from[1], from[0], from[1] + STEP, "s0", "");
        }
        for (int nic = 0; nic < instance.nicsPerNode(); nic++) {
            drawLine(at("pcie " + node + "." + cluster.pcieSwitchOfNic(nic)), at("nic " + node + "." + nic), "soft");
        }
    }

    private void drawLine(double[] from, double[] to, String colour) {
        svg.line(from[0], from[1], to[0], to[1] + BOX, colour, "");
    }

    private void drawFabric() {
        boolean rails = 1
                < ports.keySet().stream()
                        .filter(pair -> pair.get(0).startsWith("nic 0."))
                        .map(pair -> pair.get(1))
                        .distinct()
                        .count();
        for (List<String> pair : ports.keySet()) {
            double[] from = at(pair.get(0));
            double[] to = at(pair.get(1));
            if (isLevel(pair) && from[0] < to[0]) {
                drawArc(from, to);
            } else if (to[1] < from[1]) {
                drawLine(
                        from,
                        to,
                        rails && pair.get(0).startsWith("nic")
                                ? "s" + Integer.parseInt(text(pair.get(0))) % 8
                                : "soft");
            }
        }
    }

    private boolean isLevel(List<String> pair) {
        Integer tier = tiers.get(pair.get(0));
        return tier != null && tier.equals(tiers.get(pair.get(1)));
    }

    private void drawArc(double[] from, double[] to) {
        List<double[]> points = new ArrayList<>();
        double rise = ARC * Math.min(1, 0.25 + (to[0] - from[0]) / 900);
        for (int i = 0; i <= 16; i++) {
            double y = from[1] - rise * StrictMath.sin(Math.PI * i / 16);
            points.add(new double[] {from[0] + (to[0] - from[0]) * i / 16, y});
        }
        svg.curve(points, "soft", "");
    }

    private String colour(String name) {
        Integer tier = tiers.get(name);
        return tier == null
                ? Objects.requireNonNull(COLOURS.get(name.split(" ")[0]))
                : List.of("s4", "s1", "s3").get(Math.min(tier, 2));
    }

    private String text(String name) {
        return tiers.containsKey(name) ? name : name.startsWith("pcie") ? "" : name.substring(name.indexOf('.') + 1);
    }

    private void box(double[] at, String colour, String text) {
        svg.rect(at[0] - at[2] / 2, at[1], at[2], BOX, colour);
        String fits = text.length() * LETTER <= at[2] ? text : text.substring(text.lastIndexOf(' ') + 1);
        if (!fits.isEmpty() && fits.length() * LETTER <= at[2]) {
            svg.text(at[0], at[1] + BOX - 5, "middle", "paper", fits);
        }
    }

    private void label(int y, String name, String rate) {
        svg.text(8, y + 8, "start", "ink", name);
        svg.text(8, y + 23, "start", "soft", rate);
    }

    /** Returns the rates from a tier to the next one, or between its switches. */
    private String above(int tier) {
        TreeSet<Long> rates = new TreeSet<>();
        String[] to = {""};
        ports.forEach((pair, each) -> {
            Integer next = tiers.get(pair.get(1));
            if (Objects.equals(tiers.get(pair.get(0)), tier) && next != null && next >= tier) {
                rates.add(each.values().stream().mapToLong(rate -> rate).sum());
                to[0] = next > tier ? "each up: " : "links: ";
            }
        });
        return rates.isEmpty()
                ? ""
                : to[0] + rates.stream().map(this::line).distinct().collect(Collectors.joining(" to "));
    }

    private String line(long payload) {
        return bits((double) payload / nicRate(false) * nicRate(true));
    }

    private long nicRate(boolean line) {
        return (line ? instance.nic().lineRate() : instance.nic().effectiveRate()).bytesPerSecond();
    }

    private static String bits(double bytesPerSecond) {
        double gigabits = 8e-9 * bytesPerSecond;
        return gigabits >= 1000 ? trimmed(gigabits / 1000) + " Tbit/s" : trimmed(gigabits) + " Gbit/s";
    }

    private static String trimmed(double value) {
        return String.format(Locale.ROOT, "%.2f", value).replaceFirst("\\.?0+$", "");
    }

    private static String bytes(Bandwidth rate) {
        return trimmed(1e-9 * rate.bytesPerSecond()) + " GB/s";
    }

    /** Draws what connects the GPUs of a node or domain. */
    private void drawNvLinks(int y) {
        Bandwidth rate = instance.intraNode().lineRate();
        NvLinks links = instance.intraNode().links();
        boolean isPcie =
                instance.intraNode().perGpuRate().compareTo(instance.pcie().linkRate()) <= 0;
        String name = isPcie
                ? "PCIe"
                : links == NvLinks.SWITCH
                        ? "NVSwitch"
                        : "NVLinks, " + links.id().replace('_', ' ');
        for (int first = 0; first < cluster.nodes(); first += cluster.nodesPerDomain()) {
            double right = left(Math.min(cluster.nodes(), first + cluster.nodesPerDomain()) - 1) + nodeWidth;
            double wide = right - left(first) - 8;
            box(new double[] {(left(first) + right) / 2, y, wide}, isPcie ? "s5" : "s0", name);
        }
        label(y, name, bytes(rate) + " per GPU");
    }
}
