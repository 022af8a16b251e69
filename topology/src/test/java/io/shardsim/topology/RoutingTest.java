package io.shardsim.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Effective bisection bandwidth: each node of one half exchanges data with a random node of the other half, and each flow gets its share of its
 * route's most loaded link (T. Hoefler, T. Schneider, A. Lumsdaine, Multistage switches are not crossbars, CLUSTER 2008, found 55 to 60 % on
 * InfiniBand clusters without oversubscription).
 */
class RoutingTest {
    private static final int SEEDS = 20;
    private static final int MATCHINGS = 10;
    /** Nodes under a leaf with 24 ports. */
    private static final int NODES_PER_LEAF = 12;

    private static Cluster cluster(int nodes, Routing routing, long seed) {
        return TestClusters.of(
                new FabricSpec(
                        new RailOptimized().id(),
                        NODES_PER_LEAF,
                        NODES_PER_LEAF * NODES_PER_LEAF,
                        1,
                        1,
                        TestClusters.HOP_PS,
                        routing,
                        seed),
                nodes);
    }

    /** Returns, over seeds, the mean rate of a flow relative to that of its NIC. */
    private static DoubleSummaryStatistics effective(int nodes, Routing routing) {
        return overSeeds(seed -> effective(cluster(nodes, routing, seed), new Random(seed)));
    }

    private static DoubleSummaryStatistics overSeeds(IntToDoubleFunction share) {
        return IntStream.range(0, SEEDS).mapToDouble(share).summaryStatistics();
    }

    private static double effective(Cluster cluster, Random random) {
        List<Integer> order = IntStream.range(0, cluster.nodes()).boxed().collect(Collectors.toList());
        int pairs = cluster.nodes() / 2;
        double sum = 0;
        for (int matching = 0; matching < MATCHINGS; matching++) {
            Collections.shuffle(order, random);
            Traffic traffic = new Traffic(cluster);
            for (int place = 0; place < cluster.nodes(); place++) {
                int other = (place + pairs) % cluster.nodes();
                traffic.add(cluster.rank(order.get(place), 0), cluster.rank(order.get(other), 0), 0);
            }
            for (int pair = 0; pair < pairs; pair++) {
                sum += 1.0
                        / traffic.worstOn(
                                cluster.rank(order.get(pair), 0), cluster.rank(order.get(pair + pairs), 0), 0);
            }
        }
        return sum / MATCHINGS / pairs;
    }

    private static void check(int nodes, Routing routing, double expected, double deviation) {
        assertThat(effective(nodes, routing).getAverage()).isCloseTo(expected, within(deviation));
    }

    /** Steps of a traffic pattern, each as the receiver of every sender; the slowest flow ends a step. */
    private interface Pattern {
        List<int[]> steps(int nodes, int seed);
    }

    private static int[] ring(List<Integer> order) {
        int[] to = new int[order.size()];
        for (int place = 0; place < to.length; place++) {
            to[order.get(place)] = order.get((place + 1) % to.length);
        }
        return to;
    }

    private static List<Integer> order(int nodes) {
        return IntStream.range(0, nodes).boxed().collect(Collectors.toList());
    }

    private static List<Integer> shuffled(int nodes, int seed) {
        List<Integer> order = order(nodes);
        Collections.shuffle(order, new Random(seed));
        return order;
    }

    /** Returns the parents in NCCL's binary tree (trees.cc): the lowest bit moves up; node 0 is the root and sends nothing. */
    private static int[] tree(int nodes, boolean mirrored) {
        int[] to = new int[nodes];
        for (int node = 0; node < nodes; node++) {
            int bit = Integer.lowestOneBit(node);
            int up = (node ^ bit) | bit << 1;
            int parent = node == 0 ? 0 : up < nodes ? up : node ^ bit;
            to[mirrored ? nodes - 1 - node : node] = mirrored ? nodes - 1 - parent : parent;
        }
        return to;
    }

    /** Returns shifts by one node, two and so on; for many nodes, only every n-th. */
    private static List<int[]> shifts(int nodes) {
        int one = Math.max(1, nodes / 144) * Math.max(1, nodes / 144);
        return IntStream.range(1, nodes)
                .filter(shift -> shift % one == 1 % one)
                .mapToObj(shift -> IntStream.range(0, nodes)
                        .map(node -> (node + shift) % nodes)
                        .toArray())
                .toList();
    }

    private static final Map<String, Pattern> PATTERNS = new LinkedHashMap<>();

    static {
        PATTERNS.put("ring, nodes in order", (nodes, seed) -> List.of(ring(order(nodes))));
        PATTERNS.put("ring, nodes shuffled", (nodes, seed) -> List.of(ring(shuffled(nodes, seed))));
        PATTERNS.put("double binary tree", (nodes, seed) -> List.of(tree(nodes, false), tree(nodes, true)));
        PATTERNS.put("all-to-all", (nodes, seed) -> shifts(nodes));
    }

    private static double seconds(Cluster cluster, List<int[]> steps) {
        double seconds = 0;
        for (int[] to : steps) {
            Traffic traffic = new Traffic(cluster);
            for (int node = 0; node < to.length; node++) {
                if (to[node] != node) {
                    traffic.add(cluster.rank(node, 0), cluster.rank(to[node], 0), 0);
                }
            }
            seconds += 1 / traffic.rateOfEach();
        }
        return seconds;
    }

    private static DoubleSummaryStatistics share(Pattern pattern, int nodes, Routing routing) {
        return overSeeds(seed -> {
            List<int[]> steps = pattern.steps(nodes, seed);
            return seconds(cluster(nodes, Routing.ADAPTIVE, seed), steps)
                    / seconds(cluster(nodes, routing, seed), steps);
        });
    }

    private static String cell(DoubleSummaryStatistics shares) {
        return String.format(
                Locale.ROOT,
                " %.1f %% (%.1f to %.1f) |",
                100 * shares.getAverage(),
                100 * shares.getMin(),
                100 * shares.getMax());
    }

    @Test
    @Tag("slow")
    void theDocumentSaysWhatRoutesCost() throws IOException {
        StringBuilder table = new StringBuilder(
                "<!-- routes -->\n| traffic | `routing` | two tiers, 144 nodes | three tiers, 576 nodes |\n|---|---|--:|--:|\n");
        for (Routing routing : List.of(Routing.STATIC, Routing.ECMP)) {
            table.append("| random pairs | `").append(routing.id()).append("` |");
            table.append(cell(effective(144, routing)))
                    .append(cell(effective(576, routing)))
                    .append('\n');
        }
        PATTERNS.forEach((name, pattern) -> {
            for (Routing routing : List.of(Routing.STATIC, Routing.ECMP)) {
                DoubleSummaryStatistics two = share(pattern, 144, routing);
                table.append("| ")
                        .append(name)
                        .append(" | `")
                        .append(routing.id())
                        .append("` |");
                table.append(cell(two))
                        .append(cell(share(pattern, 576, routing)))
                        .append('\n');
                assertThat(two.getMax()).as(name).isLessThanOrEqualTo(1 + 1e-12);
            }
        });
        Path document = Path.of("../docs/fabrics.md");
        String before = Files.readString(document);
        String expected = before.replaceFirst("(?s)<!-- routes -->\n.*?<!-- end -->", table + "<!-- end -->");
        if (System.getProperty("docs.write") != null) {
            Files.writeString(document, expected);
        } else {
            assertThat(before)
                    .as("run this test with -Ddocs.write to write the table anew")
                    .isEqualTo(expected);
        }
    }

    @Test
    void ringsInOrderShareNoLink() {
        for (Routing routing : Routing.values()) {
            assertThat(share((nodes, seed) -> List.of(ring(order(nodes))), 144, routing)
                            .getMin())
                    .isEqualTo(1);
        }
    }

    @Test
    void adaptiveRoutesHaveTheWholeBisection() {
        check(144, Routing.ADAPTIVE, 1, 1e-12);
        check(576, Routing.ADAPTIVE, 1, 1e-12);
    }

    /**
     * A spine's port to a leaf carries the traffic to one node, so the way down is free. 11 of 143 partners are on a node's own leaf. Any two of the
     * 12 flows of a leaf meet with probability p, so a flow gets (1 - (1 - p)^12) / 12 p of its rate on average. In three tiers it meets others again
     * above the spines.
     */
    @Test
    void staticTablesCollideOnTheWayUp() {
        double near = 11 / 143.0;
        double p = (1 - near) / NODES_PER_LEAF;
        double far = (1 - Math.pow(1 - p, NODES_PER_LEAF)) / (NODES_PER_LEAF * p);
        check(144, Routing.STATIC, near + (1 - near) * far, 0.03);
        check(576, Routing.STATIC, 0.59, 0.03);
    }

    @Test
    void hashesCollideBothWays() {
        check(144, Routing.ECMP, 0.55, 0.03);
        check(576, Routing.ECMP, 0.45, 0.05);
    }
}
