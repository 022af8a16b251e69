package io.shardsim.simulator.collective;

/** All-reduce inside a node, reduced by the NVSwitch (NCCL, src/device/all_reduce.h, NVLS). */
public final class NvlsAllReduce extends SwitchAllReduce {
    public NvlsAllReduce() {
        super("nvls");
    }

    @Override
    boolean carries(int nodes) {
        return nodes == 1;
    }
}
