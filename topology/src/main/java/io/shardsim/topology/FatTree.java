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
        return "each leaf connects all NICs of its nodes; uplinks are shared per node, fewer with oversubscription";
    }

    @Override
    public Fabric build(Cluster cluster) {
        return new SwitchTree(cluster, false, false);
    }
}
