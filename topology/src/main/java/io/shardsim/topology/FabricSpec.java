package io.shardsim.topology;

/**
 * The network between nodes.
 *
 * <p>{@code nodesPerLeaf = 1} is the spread placement: no two nodes of the job share a leaf, so every pair of nodes is equally far. A
 * cloud that does not disclose the leaf of an instance is described best so.
 *
 * @param kind name of its family
 * @param nodesPerLeaf nodes under one leaf switch, or under the leaf switches of one set of rails, at least 1
 * @param nodesPerPod nodes under the same spine switches; more than these need a third tier
 * @param nodesPerDomain nodes that NVLink joins, 1 where it stays inside a node
 * @param oversubscription downlink over uplink capacity of a leaf, at least 1
 * @param hopPs propagation and forwarding of one cable and switch [ps]
 * @param routeSeed from which routes are drawn that are not adaptive
 */
public record FabricSpec(
        String kind,
        int nodesPerLeaf,
        int nodesPerPod,
        int nodesPerDomain,
        double oversubscription,
        long hopPs,
        Routing routing,
        long routeSeed) {
    /** As many nodes as there are. */
    public static final int ALL = Integer.MAX_VALUE;
    /** The family of a fabric of which nothing is said. */
    public static final String LEAF_SPINE = "leaf_spine";

    /** A leaf/spine fabric that spreads what passes it over all of its links. */
    public FabricSpec(int nodesPerLeaf, double oversubscription, long hopPs) {
        this(LEAF_SPINE, nodesPerLeaf, ALL, 1, oversubscription, hopPs, Routing.ADAPTIVE, 0);
    }

    public FabricFamily family() {
        return FabricFamily.named(kind);
    }

    /** The same with so many nodes as one. */
    FabricSpec joined(int nodes) {
        return new FabricSpec(
                kind,
                Math.max(1, nodesPerLeaf / nodes),
                Math.max(1, nodesPerPod / nodes),
                1,
                oversubscription,
                hopPs,
                Routing.ADAPTIVE,
                routeSeed);
    }
}
