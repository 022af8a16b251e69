package io.shardsim.topology;

/**
 * Instance type: one server.
 *
 * @param name catalog name, for example {@code p4d.24xlarge}
 * @param gpusPerNode GPUs, 1 to 64
 * @param hostMemoryBytes memory of the host [bytes]
 */
public record InstanceSpec(
        String name,
        GpuSpec gpu,
        int gpusPerNode,
        IntraNodeSpec intraNode,
        PcieSpec pcie,
        NetworkSpec network,
        long hostMemoryBytes,
        PriceSpec price) {

    InstanceSpec with(IntraNodeSpec otherLinks, PcieSpec otherPcie, NetworkSpec otherNetwork) {
        return new InstanceSpec(name, gpu, gpusPerNode, otherLinks, otherPcie, otherNetwork, hostMemoryBytes, price);
    }

    /** Returns that many of these servers merged into one. */
    InstanceSpec joined(int servers) {
        return new InstanceSpec(
                name,
                gpu,
                gpusPerNode * servers,
                intraNode,
                new PcieSpec(pcie.switches() * servers, pcie.linkRate(), pcie.latencyPs()),
                network.joined(servers),
                hostMemoryBytes * servers,
                price);
    }

    public NicSpec nic() {
        return network.nic();
    }

    public int nicsPerNode() {
        return network.nicsPerNode();
    }

    public FabricSpec fabric() {
        return network.fabric();
    }

    /**
     * Returns the share of a GPU's NVLink payload rate that is available towards some GPUs of its node [1]; without NVLinks between them, data goes
     * over PCIe.
     *
     * @param localRanks these GPUs, including the sender
     */
    public double nvLinkShare(int[] localRanks) {
        if (localRanks.length < 2) {
            return 1;
        }
        double byPcie = (double) pcie.linkRate().bytesPerSecond()
                / intraNode.perGpuRate().bytesPerSecond();
        return Math.max(intraNode.links().share(localRanks, gpusPerNode), Math.min(1, byPcie));
    }
}
