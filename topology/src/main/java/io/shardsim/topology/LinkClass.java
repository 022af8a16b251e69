package io.shardsim.topology;

/** Kind of a link; reports sum by it. */
public enum LinkClass {
    /** GPU to NVSwitch and back. */
    NVLINK,
    /** GPU, PCIe switch and NIC. */
    PCIE,
    /** NIC to leaf switch and leaf switch to NIC. */
    NIC,
    /** Leaf to spine and spine to leaf. */
    SPINE
}
