package io.shardsim.topology;

/**
 * The leaf/spine network between nodes.
 *
 * <p>{@code nodesPerLeaf = 1} is the spread placement: no two nodes of the job share a leaf, so every pair of nodes is equally far. A
 * cloud that does not disclose the leaf of an instance is described best so.
 *
 * @param nodesPerLeaf nodes under one leaf switch, at least 1
 * @param oversubscription downlink over uplink capacity of a leaf, at least 1
 * @param hopPs propagation and forwarding of one cable and switch [ps]
 */
public record FabricSpec(int nodesPerLeaf, double oversubscription, long hopPs) {}
