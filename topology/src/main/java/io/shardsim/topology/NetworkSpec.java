package io.shardsim.topology;

/**
 * Network between nodes of one instance type.
 *
 * @param nicsPerNode NICs, 1 to 64; GPU i sends through the NICs of its own PCIe switch
 * @param library name of the collective library's constants for this network, for example {@code p4d} or {@code infiniband}
 * @param steps factor on the library's known step times between nodes; the NIC's latency already includes it [1]
 * @param base factor on the library's known time before the first LL step of a collective between nodes; other protocols take as much longer [1]
 */
public record NetworkSpec(NicSpec nic, int nicsPerNode, FabricSpec fabric, String library, double steps, double base) {
    /** Creates a network with the library's known times. */
    public NetworkSpec(NicSpec nic, int nicsPerNode, FabricSpec fabric, String library) {
        this(nic, nicsPerNode, fabric, library, 1, 1);
    }

    public NetworkSpec withNic(NicSpec other) {
        return new NetworkSpec(other, nicsPerNode, fabric, library, steps, base);
    }

    public NetworkSpec withFabric(FabricSpec other) {
        return new NetworkSpec(nic, nicsPerNode, other, library, steps, base);
    }

    /** Returns the network of that many servers merged into one. */
    NetworkSpec joined(int servers) {
        return new NetworkSpec(nic, nicsPerNode * servers, fabric.joined(servers), library, steps, base);
    }
}
