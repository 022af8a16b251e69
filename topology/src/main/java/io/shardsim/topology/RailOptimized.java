package io.shardsim.topology;

/**
 * One leaf per NIC index, so that traffic between NICs with the same index crosses no spine within a set of leaves (NVIDIA DGX SuperPOD reference
 * architecture, RA-11333, 2023: eight rails of 32 nodes; Azure ND).
 */
public record RailOptimized() implements SwitchTree.Family {
    @Override
    public String id() {
        return "rail_optimized";
    }

    @Override
    public String description() {
        return "one leaf per NIC index, so NICs with the same index connect below the spines";
    }

    @Override
    public Fabric build(Cluster cluster) {
        return new SwitchTree(cluster, true, false);
    }
}
