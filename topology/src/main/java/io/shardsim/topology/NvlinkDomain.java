package io.shardsim.topology;

import org.jspecify.annotations.Nullable;

/**
 * NVLink domains of several nodes, the trays of a rack, connected by rails (NVIDIA DGX SuperPOD with GB200 reference architecture, RA-11338, 2025: 18
 * trays of 4 GPUs).
 */
public record NvlinkDomain() implements SwitchTree.Family {
    @Override
    public String id() {
        return "nvlink_domain";
    }

    @Override
    public String description() {
        return "NVLink connects the GPUs of nodes_per_domain nodes, and rails connect these domains";
    }

    @Override
    public boolean joinsDomains() {
        return true;
    }

    @Override
    public @Nullable String problem(FabricSpec spec, int nodes) {
        int domain = spec.nodesPerDomain();
        if (nodes > domain && nodes % domain != 0) {
            return SwitchTree.notMultiple("nodes", nodes, "nodes_per_domain", domain)
                    + ", or nodes_per_domain: as many of each domain as the job has";
        }
        return spec.nodesPerLeaf() > 1 && nodes > domain && spec.nodesPerLeaf() % domain != 0
                ? SwitchTree.notMultiple("nodes_per_leaf", spec.nodesPerLeaf(), "nodes_per_domain", domain)
                : SwitchTree.Family.super.problem(spec, nodes);
    }

    @Override
    public Fabric build(Cluster cluster) {
        return new SwitchTree(cluster, true, false);
    }
}
