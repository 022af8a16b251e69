package io.shardsim.simulator.collective;

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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Clusters and groups of ranks for tests of collectives. */
public final class Groups {
    private Groups() {}

    /** Nodes like p4d: 8 GPUs and four PCIe switches, each with one NIC. */
    public static Cluster cluster(int nodes) {
        return cluster(nodes, 8, 4, 4);
    }

    static Cluster cluster(int nodes, int gpusPerNode, int switches, int nicsPerNode) {
        Bandwidth rate = new Bandwidth(12_500_000_000L);
        GpuSpec gpu = new GpuSpec("test", "test", 1L << 35, rate, 1e12, 1e12, 100, 1_000_000_000L);
        return new Cluster(
                new InstanceSpec(
                        "test",
                        gpu,
                        gpusPerNode,
                        new IntraNodeSpec(rate, 1000),
                        new PcieSpec(switches, rate, 1000),
                        new NetworkSpec(
                                new NicSpec(rate, rate, 1000, 0, true),
                                nicsPerNode,
                                new FabricSpec(1, 1.0, 1000),
                                "infiniband"),
                        1L << 40,
                        new PriceSpec(1, "2026-01-01", "test")),
                nodes);
    }

    public static Transport transport(int channels, long chunkBytes, int slices) {
        Bandwidth rate = new Bandwidth(20_000_000_000L);
        return new Transport(
                "Simple",
                channels,
                chunkBytes,
                slices,
                new Transport.Delays(0, 0, 0),
                Transport.Rates.all(rate),
                1.0,
                1);
    }

    /** Returns the first GPUs of every node. */
    public static int[] firstGpus(int nodes, int gpus) {
        return IntStream.range(0, nodes)
                .flatMap(node -> IntStream.range(0, gpus).map(gpu -> node * 8 + gpu))
                .toArray();
    }

    /** Returns groups of many shapes, each with at least two ranks, on up to three nodes of eight GPUs. */
    static List<int[]> shapes() {
        List<int[]> shapes = new ArrayList<>();
        for (int nodes = 1; nodes <= 3; nodes++) {
            for (int gpus = 1; gpus <= 8; gpus++) {
                if (nodes * gpus > 1) {
                    shapes.add(firstGpus(nodes, gpus));
                }
            }
        }
        shapes.add(new int[] {5, 13, 21});
        shapes.add(new int[] {1, 3, 5, 7, 9, 11, 13, 15});
        shapes.add(new int[] {2, 3, 4, 9, 16, 17, 18, 19, 20, 23});
        shapes.add(new int[] {7, 16});
        shapes.add(new int[] {0, 1, 12, 13});
        shapes.add(new int[] {6, 7, 14, 15, 22, 23});
        return shapes;
    }
}
