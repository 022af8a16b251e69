package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/** Clusters with round figures, so that expected values can be computed by hand. */
final class TestClusters {
    static final int GPUS = 4;
    static final int NICS = 2;
    static final long NVLINK_PS = 200_000;
    static final long PCIE_PS = 250_000;
    static final long NIC_PS = 3_000_000;
    static final long HOP_PS = 500_000;
    static final Bandwidth NIC_RATE = Bandwidth.parse("50 GB/s");

    private TestClusters() {}

    static Cluster of(FabricSpec fabric, int nodes) {
        return of(fabric, nodes, Faults.NONE);
    }

    static Cluster of(FabricSpec fabric, int nodes, Faults faults) {
        return new Cluster(instance(fabric, true), nodes, faults);
    }

    static InstanceSpec instance(FabricSpec fabric, boolean gpuDirect) {
        return new InstanceSpec(
                "test",
                new GpuSpec("test", "test", 80L << 30, Bandwidth.parse("3 TB/s"), 1e15, 6e13, 132, 1_980_000_000L),
                GPUS,
                new IntraNodeSpec(Bandwidth.parse("400 GB/s"), NVLINK_PS),
                new PcieSpec(NICS, Bandwidth.parse("60 GB/s"), PCIE_PS),
                new NetworkSpec(new NicSpec(NIC_RATE, NIC_RATE, NIC_PS, 0, gpuDirect), NICS, fabric, "infiniband"),
                1L << 40,
                new PriceSpec(Double.NaN, "", ""));
    }
}
