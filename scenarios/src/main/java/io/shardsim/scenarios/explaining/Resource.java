package io.shardsim.scenarios.explaining;

import io.shardsim.topology.Cluster;
import io.shardsim.topology.Faults;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.IntraNodeSpec;
import io.shardsim.topology.NicSpec;
import io.shardsim.topology.PcieSpec;
import io.shardsim.topology.units.Bandwidth;

/**
 * What a step may be bound by. A rate is better where it is higher, a time where it is lower; better by a tenth is a rate times 1.1 or a time times 0.9.
 *
 * <p>Leaves out how the calibrated constants of the collective library would change with the hardware.
 */
enum Resource {
    /** Tensor and vector cores. */
    GPU_FLOPS("GPU flops", true) {
        @Override
        Cluster scaled(Cluster cluster, double factor) {
            return withGpu(cluster, factor, 1);
        }
    },
    /** Memory of the GPU. */
    HBM_RATE("HBM rate", true) {
        @Override
        Cluster scaled(Cluster cluster, double factor) {
            return withGpu(cluster, 1, factor);
        }
    },
    /** Links between GPUs of a node. */
    NVLINK_RATE("NVLink rate", true) {
        @Override
        Cluster scaled(Cluster cluster, double factor) {
            IntraNodeSpec links = cluster.instance().intraNode();
            return cluster.withIntraNode(
                    new IntraNodeSpec(links.perGpuRate().scaled(factor), links.latencyPs(), links.links()));
        }
    },
    /** Links between GPU, host and NIC. */
    PCIE_RATE("PCIe rate", true) {
        @Override
        Cluster scaled(Cluster cluster, double factor) {
            PcieSpec pcie = cluster.instance().pcie();
            return cluster.withPcie(
                    new PcieSpec(pcie.switches(), pcie.linkRate().scaled(factor), pcie.latencyPs()));
        }
    },
    /** All NICs, and the fabric behind them. */
    NIC_RATE("NIC rate", true) {
        @Override
        Cluster scaled(Cluster cluster, double factor) {
            NicSpec nic = cluster.instance().nic();
            Bandwidth slow = cluster.slowNicRate();
            Cluster faster = withNic(
                    cluster,
                    new NicSpec(
                            nic.lineRate().scaled(factor),
                            nic.effectiveRate().scaled(factor),
                            nic.latencyPs(),
                            nic.perMessagePs(),
                            nic.gpuDirect()));
            return slow == null
                    ? faster
                    : withFaults(
                            faster,
                            cluster.faults()
                                    .withNetwork(cluster.faults().network().withSlowNic(slow.scaled(factor))));
        }
    },
    /** What a message costs beside its bytes: on its way, and while it holds a NIC. */
    NIC_LATENCY("NIC latency", false) {
        @Override
        Cluster scaled(Cluster cluster, double factor) {
            NicSpec nic = cluster.instance().nic();
            return withNic(
                    cluster,
                    new NicSpec(
                            nic.lineRate(),
                            nic.effectiveRate(),
                            StrictMath.round(nic.latencyPs() * factor),
                            StrictMath.round(nic.perMessagePs() * factor),
                            nic.gpuDirect()));
        }
    },
    /** The processes that issue kernels. */
    HOST_TIME("host time", false) {
        @Override
        Cluster scaled(Cluster cluster, double factor) {
            Faults faults = cluster.faults();
            return withFaults(cluster, faults.withHost(StrictMath.round(faults.hostPerMille() * factor)));
        }
    };

    /** By how much each is changed. */
    static final double STEP = 0.1;

    private final String words;
    private final boolean rate;

    Resource(String words, boolean rate) {
        this.words = words;
        this.rate = rate;
    }

    String words() {
        return words;
    }

    /** Whether more of it is better, as of a rate; of a time less is. */
    boolean isRate() {
        return rate;
    }

    abstract Cluster scaled(Cluster cluster, double factor);

    /** A cluster with a tenth better, or worse. */
    Cluster changed(Cluster cluster, boolean better) {
        return scaled(cluster, better == rate ? 1 + STEP : 1 - STEP);
    }

    private static Cluster withGpu(Cluster cluster, double flopsFactor, double memoryFactor) {
        InstanceSpec old = cluster.instance();
        GpuSpec gpu = old.gpu();
        return with(
                cluster,
                new InstanceSpec(
                        old.name(),
                        new GpuSpec(
                                gpu.name(),
                                gpu.architecture(),
                                gpu.memoryBytes(),
                                gpu.memoryBandwidth().scaled(memoryFactor),
                                gpu.peakHalfFlopsPerSecond() * flopsFactor,
                                gpu.peakSingleFlopsPerSecond() * flopsFactor,
                                gpu.smCount(),
                                gpu.boostClockHz()),
                        old.gpusPerNode(),
                        old.intraNode(),
                        old.pcie(),
                        old.network(),
                        old.hostMemoryBytes(),
                        old.price()));
    }

    private static Cluster withNic(Cluster cluster, NicSpec nic) {
        return cluster.withNetwork(cluster.instance().network().withNic(nic));
    }

    private static Cluster with(Cluster cluster, InstanceSpec instance) {
        return new Cluster(instance, cluster.nodes(), cluster.faults());
    }

    private static Cluster withFaults(Cluster cluster, Faults faults) {
        return new Cluster(cluster.instance(), cluster.nodes(), faults);
    }
}
