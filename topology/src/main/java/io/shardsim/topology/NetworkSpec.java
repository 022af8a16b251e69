package io.shardsim.topology;

/**
 * How the nodes of one server type reach each other.
 *
 * @param nicsPerNode NICs, 1 to 64; GPU i sends through the NICs of its own PCIe switch
 * @param library name of what is known of collective libraries over this network, for example {@code p4d} or {@code infiniband}
 * @param steps time of a library's steps between nodes, in times of what is known of them; the NIC's latency has it already [1]
 */
public record NetworkSpec(NicSpec nic, int nicsPerNode, FabricSpec fabric, String library, double steps) {
    /** A network whose steps take what is known of them. */
    public NetworkSpec(NicSpec nic, int nicsPerNode, FabricSpec fabric, String library) {
        this(nic, nicsPerNode, fabric, library, 1);
    }

    public NetworkSpec withNic(NicSpec other) {
        return new NetworkSpec(other, nicsPerNode, fabric, library, steps);
    }

    public NetworkSpec withFabric(FabricSpec other) {
        return new NetworkSpec(nic, nicsPerNode, other, library, steps);
    }

    /** That of so many servers as one. */
    NetworkSpec joined(int servers) {
        return new NetworkSpec(nic, nicsPerNode * servers, fabric.joined(servers), library, steps);
    }
}
