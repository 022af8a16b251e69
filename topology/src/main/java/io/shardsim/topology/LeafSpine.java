package io.shardsim.topology;

/** Leaves that connect all NICs of their nodes, and spines that connect the leaves. Used for EFA, and if the topology is unknown. */
public record LeafSpine() implements SwitchTree.Family {
    @Override
    public String id() {
        return FabricSpec.LEAF_SPINE;
    }

    @Override
    public String description() {
        return "each leaf connects all NICs of its nodes, and spines connect the leaves";
    }

    @Override
    public Fabric build(Cluster cluster) {
        return new SwitchTree(cluster, false, true);
    }
}
