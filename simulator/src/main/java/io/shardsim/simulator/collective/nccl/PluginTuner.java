package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.schema.Block;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tuner of a network plugin, which overrides NCCL's own estimates. For a kind of collective and a number of ranks per node it has polygons over bytes
 * and ranks, each with an algorithm and a protocol. The first polygon that contains a point, edges included, decides. If none does, and on one or two
 * nodes, NCCL estimates (aws-ofi-nccl, src/tuner/nccl_ofi_regions.cpp, region_get_coll_info_internal_v3).
 */
final class PluginTuner {
    /** Tuner without preferences. */
    static final PluginTuner NONE = new PluginTuner(Map.of());

    private static final int NODES_ESTIMATED_BY_NCCL = 2;
    /** Distance from an edge that counts as on it, as a share of the polygon's bounding box [1]. */
    private static final double ON_EDGE = 1e-12;

    private final Map<String, List<Region>> regions;

    private PluginTuner(Map<String, List<Region>> regions) {
        this.regions = regions;
    }

    /** Preferred algorithm and protocol. */
    record Preference(String algorithm, Protocol protocol) {}

    private record Point(double bytes, double ranks) {}

    private record Region(Preference preference, List<Point> corners) {}

    /** Returns the tuner of a plugin. */
    static PluginTuner of(String name) {
        List<Block> written = NcclCatalog.TUNERS.named(name).list("regions");
        Map<String, List<Region>> regions = new LinkedHashMap<>();
        for (Block region : written) {
            String key = key(region.text("collective", ""), Math.toIntExact(region.whole("ranks_per_node", 0)));
            regions.computeIfAbsent(key, first -> new ArrayList<>()).add(region(region));
        }
        return new PluginTuner(regions);
    }

    private static String key(String kind, int ranksPerNode) {
        return kind + "." + ranksPerNode;
    }

    private static Region region(Block written) {
        List<Point> corners = new ArrayList<>();
        if (written.value("corners") instanceof List<?> texts) {
            texts.forEach(text -> corners.add(corner(String.valueOf(text))));
        }
        Preference preference =
                new Preference(written.text("algorithm", ""), Protocol.of(written.text("protocol", "")));
        return new Region(preference, corners);
    }

    /** Parses {@code 4096 B x 16}: bytes and ranks. */
    private static Point corner(String text) {
        String[] sides = text.split(" B x ");
        return new Point(Double.parseDouble(sides[0]), Double.parseDouble(sides[1]));
    }

    /**
     * Returns the preference; null if there is none.
     *
     * @param available whether a preference supports the collective; others are skipped
     */
    @Nullable
    Preference preference(CollectiveKind kind, Rings rings, long totalBytes, Predicate<Preference> available) {
        if (rings.nodes() <= NODES_ESTIMATED_BY_NCCL || rings.ranks() % rings.nodes() != 0) {
            return null;
        }
        Point point = new Point(totalBytes, rings.ranks());
        return regions.getOrDefault(key(kind.id(), rings.ranks() / rings.nodes()), List.of()).stream()
                .filter(region -> available.test(region.preference()) && holds(region.corners(), point))
                .map(Region::preference)
                .findFirst()
                .orElse(null);
    }

    /** Returns whether a polygon contains a point, by counting the edges to its right. */
    private static boolean holds(List<Point> corners, Point point) {
        boolean inside = false;
        for (int i = 0; i < corners.size(); i++) {
            Point from = corners.get(i);
            Point to = corners.get((i + 1) % corners.size());
            if (isOn(from, to, point)) {
                return true;
            }
            if (from.ranks() > point.ranks() != to.ranks() > point.ranks()) {
                double along = (point.ranks() - from.ranks()) / (to.ranks() - from.ranks());
                inside ^= from.bytes() + along * (to.bytes() - from.bytes()) > point.bytes();
            }
        }
        return inside;
    }

    private static boolean isOn(Point from, Point to, Point point) {
        double cross = (to.bytes() - from.bytes()) * (point.ranks() - from.ranks())
                - (to.ranks() - from.ranks()) * (point.bytes() - from.bytes());
        double size =
                Math.max(1, Math.abs(to.bytes() - from.bytes())) * Math.max(1, Math.abs(to.ranks() - from.ranks()));
        return Math.abs(cross) <= ON_EDGE * size
                && isBetween(from.bytes(), point.bytes(), to.bytes())
                && isBetween(from.ranks(), point.ranks(), to.ranks());
    }

    private static boolean isBetween(double one, double value, double other) {
        return Math.min(one, other) <= value && value <= Math.max(one, other);
    }
}
