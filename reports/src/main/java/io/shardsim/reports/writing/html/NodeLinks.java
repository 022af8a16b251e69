package io.shardsim.reports.writing.html;

import io.shardsim.reports.LinkUse;
import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How busy each class of links was on each node: one row per class, one column per node, darker is busier. In a large cluster a column stands
 * for several nodes and shows the busiest of them.
 */
final class NodeLinks {
    private static final int ROW = 24;
    private static final int AROUND_ROWS = 74;
    private static final int COLUMNS_MAX = 128;

    private NodeLinks() {}

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
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("x", "nodes");
        data.put("xs", columns);
        data.put("y", "");
        data.put("ys", links.stream().map(use -> Names.of(use.linkClass())).toList());
        data.put("unit", "% of the time busy");
        data.put("min", 0);
        data.put("max", 100);
        data.put("facets", List.of(Map.of("name", "", "cells", cells)));
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
        double most = 0;
        for (int node = firstNode;
                node < endNode && node < use.utilizationByNode().size();
                node++) {
            most = Math.max(most, use.utilizationByNode().get(node));
        }
        return most;
    }
}
