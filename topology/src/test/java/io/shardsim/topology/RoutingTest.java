package io.shardsim.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Effective bisection bandwidth: each node of one half exchanges with one of the other half, drawn at random, and each flow has its share of the link of its route that most flows pass (T. Hoefler, T. Schneider,
 * A. Lumsdaine, Multistage switches are not crossbars, CLUSTER 2008, found 55 to 60 % on InfiniBand clusters without oversubscription).
 */
class RoutingTest {
    private static final int SEEDS = 20;
    private static final int MATCHINGS = 10;
    /** A leaf of 24 ports. */
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

    /** By seed, what a flow gets on average of what its NIC could send. */
    private static DoubleSummaryStatistics effective(int nodes, Routing routing) {
        return IntStream.range(0, SEEDS)
                .mapToDouble(seed -> effective(cluster(nodes, routing, seed), new Random(seed)))
                .summaryStatistics();
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
        DoubleSummaryStatistics effective = effective(nodes, routing);
        System.out.printf(
                "%d nodes, %s: %.3f (%.3f to %.3f)%n",
                nodes, routing.id(), effective.getAverage(), effective.getMin(), effective.getMax());
        assertThat(effective.getAverage()).isCloseTo(expected, within(deviation));
    }

    @Test
    void adaptiveRoutesHaveTheWholeBisection() {
        check(144, Routing.ADAPTIVE, 1, 1e-12);
        check(576, Routing.ADAPTIVE, 1, 1e-12);
    }

    /**
     * A spine's port to a leaf carries what goes to one node, so the way down is free. 11 of 143 partners are on a node's own leaf. Of the 12 flows of a leaf any two else meet with
     * chance p, so that a flow has (1 - (1 - p)^12) / 12 p of its rate on average. In three tiers it meets others again above the spines.
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
