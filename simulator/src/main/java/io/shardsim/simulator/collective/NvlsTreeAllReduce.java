package io.shardsim.simulator.collective;

/**
 * All-reduce over nodes by a tree for each GPU of a node, whose sums inside the node the NVSwitch makes (NCCL, src/device/all_reduce.h, NVLS_TREE).
 */
public final class NvlsTreeAllReduce extends SwitchAllReduce {
    public NvlsTreeAllReduce() {
        super("nvls-tree");
    }

    @Override
    boolean carries(int nodes) {
        return nodes >= 2;
    }
}
