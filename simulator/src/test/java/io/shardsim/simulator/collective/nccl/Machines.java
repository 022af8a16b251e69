package io.shardsim.simulator.collective.nccl;

import io.shardsim.topology.Cluster;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.IntraNodeSpec;
import io.shardsim.topology.NetworkSpec;
import io.shardsim.topology.NicSpec;
import io.shardsim.topology.NvLinks;
import io.shardsim.topology.PcieSpec;
import io.shardsim.topology.PriceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.stream.IntStream;

/** Clusters for the tests of this package, as described by AWS and NVIDIA. */
public final class Machines {
    private Machines() {}

    public static Cluster p4d(int nodes) {
        return new Cluster(instance("p4d.24xlarge", "ampere", "232 GB/s", 4, 4, "100 Gbit/s", "10.6 GB/s"), nodes);
    }

    /** p5.48xlarge; the four EFA devices of a GPU form one NIC. */
    public static Cluster p5(int nodes) {
        return new Cluster(instance("p5.48xlarge", "hopper", "387 GB/s", 8, 8, "400 Gbit/s", "48.75 GB/s"), nodes);
    }

    public static Cluster p3dn(int nodes) {
        return new Cluster(instance("p3dn.24xlarge", "volta", "146 GB/s", 4, 1, "100 Gbit/s", "10 GB/s"), nodes);
    }

    /** Returns a server with NVSwitch and an unknown network. */
    static Cluster server(String architecture, String nvLinkRate, int gpus) {
        return server(architecture, nvLinkRate, gpus, NvLinks.SWITCH);
    }

    static Cluster server(String architecture, String nvLinkRate, int gpus, NvLinks links) {
        InstanceSpec whole = instance("server", architecture, nvLinkRate, 4, 8, "200 Gbit/s", "24 GB/s");
        return new Cluster(
                new InstanceSpec(
                        whole.name(),
                        whole.gpu(),
                        gpus,
                        new IntraNodeSpec(
                                whole.intraNode().perGpuRate(),
                                whole.intraNode().latencyPs(),
                                links),
                        whole.pcie(),
                        whole.network(),
                        whole.hostMemoryBytes(),
                        whole.price()),
                1);
    }

    static Cluster servers(int nodes) {
        return servers(nodes, 8);
    }

    static Cluster servers(int nodes, int nics) {
        return new Cluster(instance("server", "ampere", "232 GB/s", 4, nics, "200 Gbit/s", "24 GB/s"), nodes);
    }

    private static InstanceSpec instance(
            String name,
            String architecture,
            String nvLinkRate,
            int switches,
            int nics,
            String lineRate,
            String effectiveRate) {
        Bandwidth memory = Bandwidth.parse("2 TB/s");
        return new InstanceSpec(
                name,
                new GpuSpec(architecture, architecture, 40L << 30, memory, 312e12, 19.5e12, 108, 1_410_000_000L),
                8,
                new IntraNodeSpec(Bandwidth.parse(nvLinkRate), 500_000),
                new PcieSpec(switches, Bandwidth.parse("50 GB/s"), 300_000),
                new NetworkSpec(
                        new NicSpec(Bandwidth.parse(lineRate), Bandwidth.parse(effectiveRate), 15_000_000, 0, true),
                        nics,
                        new FabricSpec(1, 1.0, 500_000),
                        name.equals("server") ? "infiniband" : name.substring(0, name.indexOf('.'))),
                1L << 40,
                new PriceSpec(1, "2026-01-01", "test"));
    }

    /** Returns all ranks of a cluster. */
    public static int[] everyone(Cluster cluster) {
        return IntStream.range(0, cluster.worldSize()).toArray();
    }
}
