package io.shardsim.reports.writing.html;

import io.shardsim.reports.LinkUse;
import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.JsonObject;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A map of link utilization: one row per class, one column per node, darker is busier. In a large cluster a column represents several nodes and shows
 * the busiest.
 */
final class NodeLinks {
    private static final int ROW = 24;
    private static final int AROUND_ROWS = 74;
    private static final int COLUMNS_MAX = 128;

    /** Difference in utilization below which a map has one colour and one figure. */
    private static final double ALIKE = 0.01;

    private NodeLinks() {}

    /** Returns whether utilization differs between nodes, so that a map shows more than the table of classes. */
    static boolean differs(LinkUse use) {
        DoubleSummaryStatistics busy = use.utilizationByNode().stream()
                .mapToDouble(Double::doubleValue)
                .summaryStatistics();
        return busy.getCount() > 0 && busy.getMax() - busy.getMin() > ALIKE;
    }

    static Figure figure(String id, String run, List<LinkUse> links) {
        int nodes = links.stream()
                .mapToInt(use -> use.utilizationByNode().size())
                .max()
                .orElse(0);
        int perColumn = Math.max(1, (nodes + COLUMNS_MAX - 1) / COLUMNS_MAX);
        List<String> columns = new ArrayList<>();
        for (int first = 0; first < nodes; first += perColumn) {
            int last = Math.min(nodes, first + perColumn) - 1;
            columns.add(first == last ? "Node[" + first + "]" : "Node[" + first + "] to Node[" + last + "]");
        }
        List<List<Object>> cells = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        for (int row = 0; row < links.size(); row++) {
            LinkUse use = links.get(row);
            String name = Names.of(use.linkClass());
            for (int column = 0; column < columns.size(); column++) {
                double busy = busiest(use, column * perColumn, (column + 1) * perColumn);
                cells.add(List.of(
                        column,
                        row,
                        Figure.number(100 * busy),
                        "",
                        columns.get(column) + ", " + name + ": busy " + Quantities.percent(busy)));
                rows.add(List.of(columns.get(column), name, Quantities.percent(busy)));
            }
        }
        JsonObject data = new JsonObject()
                .with("x", "nodes")
                .with("xs", columns)
                .with("y", "")
                .list("ys", links, use -> Names.of(use.linkClass()))
                .with("unit", "% of the time busy")
                .with("min", 0)
                .with("max", 100)
                .with("facets", List.of(new JsonObject().with("name", "").with("cells", cells)));
        return new Figure(
                id,
                Figure.Kind.CELLS,
                "Utilization of links by class and node, " + run,
                run + ": utilization of links by class and node",
                ROW * links.size() + AROUND_ROWS,
                data,
                new Figure.Table(List.of("node", "links", "busy"), List.of(false, false, true), rows));
    }

    private static double busiest(LinkUse use, int firstNode, int endNode) {
        List<Double> busy = use.utilizationByNode();
        return IntStream.range(firstNode, Math.min(endNode, busy.size()))
                .mapToDouble(busy::get)
                .max()
                .orElse(0);
    }
}
