package io.shardsim.simulator.collective;

/**
 * All-reduce over several nodes: the NVSwitch reduces inside each node, and one tree per GPU of a node reduces between nodes (NCCL,
 * src/device/all_reduce.h, NVLS_TREE).
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
