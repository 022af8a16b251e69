package io.shardsim.topology;

/**
 * Leaf/spine, with a third tier if there are several pods; each node has its own uplink unless the leaves are oversubscribed (Leiserson, IEEE
 * Transactions on Computers C-34(10), 1985).
 */
public record FatTree() implements SwitchTree.Family {
    @Override
    public String id() {
        return "fat_tree";
    }

    @Override
    public String description() {
        return "a leaf joins all NICs of its nodes; a node has its share of the uplinks, or the leaf has fewer of them by oversubscription";
    }

    @Override
    public Fabric build(Cluster cluster) {
        return new SwitchTree(cluster, false, false);
    }
}
