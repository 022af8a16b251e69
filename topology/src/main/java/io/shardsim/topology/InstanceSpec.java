package io.shardsim.topology;

/**
 * One server type.
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

    /** So many of these servers as one. */
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
     * Share of its NVLinks' payload rate that a GPU has towards some others of its node [1]; where none leads there, data goes by PCIe.
     *
     * @param localRanks the GPUs together with the one that is asked for
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
