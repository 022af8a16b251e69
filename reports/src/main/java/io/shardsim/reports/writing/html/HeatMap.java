package io.shardsim.reports.writing.html;

import io.shardsim.reports.LinkUse;
import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import java.util.List;

/** How busy each class of links was on each node: one row per class, one column per node, darker is busier. */
final class HeatMap {
    private static final int LEFT = 56;
    private static final int CELL = 22;
    private static final int SHADES = 5;

    private HeatMap() {}

    static String draw(int width, String name, List<LinkUse> links) {
        int nodes = links.stream()
                .mapToInt(use -> use.utilizationByNode().size())
                .max()
                .orElse(0);
        double cell = Math.min(CELL, (double) (width - LEFT) / Math.max(1, nodes));
        int bottom = 4 + links.size() * CELL;
        Svg svg = new Svg(width, bottom + 20, name + ": utilization of links by class and node");
        double y = 4;
        for (LinkUse use : links) {
            svg.text(0, y + CELL - 7, "start", "name", Names.of(use.linkClass()));
            for (int node = 0; node < use.utilizationByNode().size(); node++) {
                double utilization = use.utilizationByNode().get(node);
                svg.rect(
                        LEFT + node * cell,
                        y,
                        Math.max(0.5, cell - 1),
                        CELL - 2,
                        "heat h" + shade(utilization),
                        "Node[" + node + "], " + Names.of(use.linkClass()) + ": busy "
                                + Quantities.percent(utilization));
            }
            y += CELL;
        }
        svg.text(LEFT, bottom + 14, "start", "tick", "node 0");
        if (nodes > 1 && nodes * cell > 100) {
            svg.text(LEFT + nodes * cell, bottom + 14, "end", "tick", "node " + (nodes - 1));
        }
        return svg.close();
    }

    static int shade(double utilization) {
        return Math.max(0, Math.min(SHADES - 1, (int) (utilization * SHADES)));
    }
}
