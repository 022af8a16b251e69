package io.shardsim.reports.writing.html;

import io.shardsim.reports.LinkUse;
import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import java.util.List;

/**
 * How busy each class of links was on each node: one row per class, one column per node, darker is busier. In a large cluster a column stands
 * for several nodes and shows the busiest of them.
 */
final class HeatMap {
    private static final int LEFT = 56;
    private static final int CELL = 22;
    private static final int SHADES = 5;
    private static final int COLUMNS_MAX = 128;

    private HeatMap() {}

    static String draw(int width, String name, List<LinkUse> links) {
        int nodes = links.stream()
                .mapToInt(use -> use.utilizationByNode().size())
                .max()
                .orElse(0);
        int perColumn = (nodes + COLUMNS_MAX - 1) / COLUMNS_MAX;
        int columns = perColumn == 0 ? 0 : (nodes + perColumn - 1) / perColumn;
        double cell = Math.min(CELL, (double) (width - LEFT) / Math.max(1, columns));
        int bottom = 4 + links.size() * CELL;
        Svg svg = new Svg(width, bottom + 20, name + ": utilization of links by class and node");
        double y = 4;
        for (LinkUse use : links) {
            svg.text(0, y + CELL - 7, "start", "name", Names.of(use.linkClass()));
            for (int column = 0; column < columns; column++) {
                int first = column * perColumn;
                int last = Math.min(nodes, first + perColumn) - 1;
                double utilization = busiest(use, first, last);
                svg.rect(
                        LEFT + column * cell,
                        y,
                        Math.max(0.5, cell - 1),
                        CELL - 2,
                        "heat h" + shade(utilization),
                        (first == last ? "Node[" + first + "]" : "busiest of Node[" + first + "] to Node[" + last + "]")
                                + ", " + Names.of(use.linkClass()) + ": busy " + Quantities.percent(utilization));
            }
            y += CELL;
        }
        svg.text(LEFT, bottom + 14, "start", "tick", "node 0");
        if (nodes > 1 && columns * cell > 100) {
            svg.text(LEFT + columns * cell, bottom + 14, "end", "tick", "node " + (nodes - 1));
        }
        return svg.close();
    }

    private static double busiest(LinkUse use, int firstNode, int lastNode) {
        double most = 0;
        for (int node = firstNode;
                node <= lastNode && node < use.utilizationByNode().size();
                node++) {
            most = Math.max(most, use.utilizationByNode().get(node));
        }
        return most;
    }

    static int shade(double utilization) {
        return Math.max(0, Math.min(SHADES - 1, (int) (utilization * SHADES)));
    }
}
