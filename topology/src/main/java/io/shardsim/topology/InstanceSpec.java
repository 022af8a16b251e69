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
        PriceSpec price) {}
