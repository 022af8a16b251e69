package io.shardsim.topology;

/**
 * The network between nodes.
 *
 * <p>{@code nodesPerLeaf = 1} is the spread placement: no two nodes of the job share a leaf, so every pair of nodes is equally far apart. Use it for
 * clouds that do not disclose an instance's leaf.
 *
 * @param kind name of the fabric family
 * @param nodesPerLeaf nodes under one leaf switch, or under the leaf switches of one set of rails, at least 1
 * @param nodesPerPod nodes under the same spine switches; more than these need a third tier
 * @param nodesPerDomain nodes per NVLink domain; 1 if NVLink stays inside a node
 * @param oversubscription downlink over uplink capacity of a leaf, at least 1
 * @param hopPs propagation and forwarding of one cable and switch [ps]
 * @param routeSeed seed of routes that are not adaptive
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
    /** Any number of nodes. */
    public static final int ALL = Integer.MAX_VALUE;
    /** Default fabric family. */
    public static final String LEAF_SPINE = "leaf_spine";

    /** Creates a leaf/spine fabric with adaptive routing. */
    public FabricSpec(int nodesPerLeaf, double oversubscription, long hopPs) {
        this(LEAF_SPINE, nodesPerLeaf, ALL, 1, oversubscription, hopPs, Routing.ADAPTIVE, 0);
    }

    public FabricFamily family() {
        return FabricFamily.named(kind);
    }

    /** Returns this fabric with that many nodes merged into one. */
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
