package io.shardsim.topology;

/**
 * One server type.
 *
 * @param name catalog name, for example {@code p4d.24xlarge}
 * @param gpusPerNode GPUs, 1 to 64
 * @param nicsPerNode NICs, 1 to 64; GPU i sends through the NICs of its own PCIe switch
 * @param hostMemoryBytes memory of the host [bytes]
 */
public record InstanceSpec(
        String name,
        GpuSpec gpu,
        int gpusPerNode,
        IntraNodeSpec intraNode,
        PcieSpec pcie,
        NicSpec nic,
        int nicsPerNode,
        long hostMemoryBytes,
        FabricSpec fabric,
        PriceSpec price) {

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
