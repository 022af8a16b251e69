package io.shardsim.scenarios.explaining;

import io.shardsim.topology.Cluster;
import io.shardsim.topology.Faults;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.IntraNodeSpec;
import io.shardsim.topology.NicSpec;
import io.shardsim.topology.PcieSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.function.BiFunction;

/**
 * A possible bottleneck of a step. Higher is better for a rate, lower for a time; a tenth better means a rate times 1.1 or a time times 0.9.
 *
 * <p>Ignores how the collective library's calibrated constants would change with the hardware.
 */
enum Resource {
    /** Tensor cores and CUDA cores. */
    GPU_FLOPS("GPU flops", true, (cluster, factor) -> withGpu(cluster, factor, 1)),
    /** GPU memory bandwidth. */
    HBM_RATE("HBM rate", true, (cluster, factor) -> withGpu(cluster, 1, factor)),
    /** Links between GPUs of a node: NVLink, or PCIe without it. */
    INTRA_NODE_RATE("intra-node", true, Resource::withNvLinks),
    /** Links between GPU, host and NIC. */
    PCIE_RATE("PCIe rate", true, Resource::withPcie),
    /** All NICs, and the fabric they connect to. */
    NIC_RATE("NIC rate", true, Resource::withNicRate),
    /** Cost per message besides its bytes: network latency, and overhead on the NIC. */
    NIC_LATENCY("NIC latency", false, Resource::withNicLatency),
    /** Host processes that launch kernels. */
    HOST_TIME("host time", false, Resource::withHostTime);

    /** Relative change of each resource. */
    static final double STEP = 0.1;

    private final String words;
    private final boolean rate;
    private final BiFunction<Cluster, Double, Cluster> scaled;

    Resource(String words, boolean rate, BiFunction<Cluster, Double, Cluster> scaled) {
        this.words = words;
        this.rate = rate;
        this.scaled = scaled;
    }

    String words() {
        return words;
    }

    /** Returns whether it is a rate, so that higher is better, rather than a time. */
    boolean isRate() {
        return rate;
    }

    /** Returns a cluster with the resource a tenth better, or worse. */
    Cluster changed(Cluster cluster, boolean better) {
        return scaled.apply(cluster, better == rate ? 1 + STEP : 1 - STEP);
    }

    private static Cluster withGpu(Cluster cluster, double flopsFactor, double memoryFactor) {
        InstanceSpec old = cluster.instance();
        return new Cluster(
                new InstanceSpec(
                        old.name(),
                        old.gpu().withRates(flopsFactor, memoryFactor),
                        old.gpusPerNode(),
                        old.intraNode(),
                        old.pcie(),
                        old.network(),
                        old.hostMemoryBytes(),
                        old.price()),
                cluster.nodes(),
                cluster.faults());
    }

    private static Cluster withNvLinks(Cluster cluster, double factor) {
        IntraNodeSpec links = cluster.instance().intraNode();
        return cluster.withIntraNode(new IntraNodeSpec(
                links.lineRate(), links.perGpuRate().scaled(factor), links.latencyPs(), links.links()));
    }

    private static Cluster withPcie(Cluster cluster, double factor) {
        PcieSpec pcie = cluster.instance().pcie();
        return cluster.withPcie(new PcieSpec(pcie.switches(), pcie.linkRate().scaled(factor), pcie.latencyPs()));
    }

    private static Cluster withNicRate(Cluster cluster, double factor) {
        Bandwidth slow = cluster.slowNicRate();
        Cluster faster = withNics(cluster, factor, 1);
        return slow == null
                ? faster
                : withFaults(
                        faster,
                        cluster.faults().withNetwork(cluster.faults().network().withSlowNic(slow.scaled(factor))));
    }

    private static Cluster withNicLatency(Cluster cluster, double factor) {
        return withNics(cluster, 1, factor);
    }

    private static Cluster withNics(Cluster cluster, double rateFactor, double timeFactor) {
        NicSpec nic = cluster.instance().nic();
        return cluster.withNetwork(cluster.instance()
                .network()
                .withNic(new NicSpec(
                        nic.lineRate().scaled(rateFactor),
                        nic.effectiveRate().scaled(rateFactor),
                        StrictMath.round(nic.latencyPs() * timeFactor),
                        StrictMath.round(nic.perMessagePs() * timeFactor),
                        nic.gpuDirect())));
    }

    private static Cluster withHostTime(Cluster cluster, double factor) {
        Faults faults = cluster.faults();
        return withFaults(cluster, faults.withHost(StrictMath.round(faults.hostPerMille() * factor)));
    }

    private static Cluster withFaults(Cluster cluster, Faults faults) {
        return new Cluster(cluster.instance(), cluster.nodes(), faults);
    }
}
