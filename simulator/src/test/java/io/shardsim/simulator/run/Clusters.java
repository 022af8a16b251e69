package io.shardsim.simulator.run;

import io.shardsim.topology.Cluster;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.IntraNodeSpec;
import io.shardsim.topology.NetworkSpec;
import io.shardsim.topology.NicSpec;
import io.shardsim.topology.PcieSpec;
import io.shardsim.topology.PriceSpec;
import io.shardsim.topology.units.Bandwidth;

/** Clusters for tests, with round figures instead of data sheets. */
final class Clusters {
    static final long GB = 1_000_000_000L;

    private Clusters() {}

    static Cluster likeP4d(int nodes) {
        return cluster(nodes, 8, new Bandwidth(300 * GB), 4, new Bandwidth(12_500_000_000L));
    }

    /** Returns nodes whose GPU and network the compute and communication models know by name. */
    static Cluster p4dOf(int nodes) {
        return p4dOf(nodes, likeP4d(nodes).instance().pcie());
    }

    static Cluster p4dOf(int nodes, PcieSpec pcie) {
        Cluster like = likeP4d(nodes);
        InstanceSpec instance = like.instance();
        GpuSpec test = instance.gpu();
        GpuSpec gpu = new GpuSpec(
                "a100-40gb",
                "ampere",
                test.memoryBytes(),
                test.memoryBandwidth(),
                test.peakHalfFlopsPerSecond(),
                test.peakSingleFlopsPerSecond(),
                test.smCount(),
                test.boostClockHz());
        return new Cluster(
                new InstanceSpec(
                        "p4d.24xlarge",
                        gpu,
                        instance.gpusPerNode(),
                        instance.intraNode(),
                        pcie,
                        new NetworkSpec(instance.nic(), instance.nicsPerNode(), instance.fabric(), "p4d"),
                        instance.hostMemoryBytes(),
                        instance.price()),
                nodes);
    }

    static Cluster cluster(int nodes, int gpus, Bandwidth nvLink, int nics, Bandwidth nic) {
        return cluster(nodes, gpus, nvLink, nics, nic, true);
    }

    static Cluster cluster(int nodes, int gpus, Bandwidth nvLink, int nics, Bandwidth nic, boolean gpuDirect) {
        GpuSpec gpu =
                new GpuSpec("test", "test", 40L << 30, new Bandwidth(1555 * GB), 312e12, 19.5e12, 108, 1_410_000_000L);
        InstanceSpec instance = new InstanceSpec(
                "test",
                gpu,
                gpus,
                new IntraNodeSpec(nvLink, 1_000_000),
                new PcieSpec(nics, new Bandwidth(25 * GB), 500_000),
                new NetworkSpec(
                        new NicSpec(nic, nic, 5_000_000, 100_000, gpuDirect),
                        nics,
                        new FabricSpec(1, 1, 500_000),
                        "infiniband"),
                1L << 40,
                new PriceSpec(32.77, "2022-10-31", "test"));
        return new Cluster(instance, nodes);
    }
}
