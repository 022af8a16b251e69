package io.shardsim.topology;

/** A leaf joins all NICs of its nodes, and spines join the leaves: EFA, and what is not known better. */
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
