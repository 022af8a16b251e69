package io.shardsim.topology;

/** As leaf/spine, in three tiers where pods are exceeded; a node has an uplink of its own unless the leaves are oversubscribed (Leiserson, IEEE Transactions on Computers C-34(10), 1985). */
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
