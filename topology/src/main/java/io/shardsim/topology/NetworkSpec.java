package io.shardsim.topology;

/**
 * How the nodes of one server type reach each other.
 *
 * @param nicsPerNode NICs, 1 to 64; GPU i sends through the NICs of its own PCIe switch
 * @param library name of what is known of collective libraries over this network, for example {@code p4d} or {@code infiniband}
 */
public record NetworkSpec(NicSpec nic, int nicsPerNode, FabricSpec fabric, String library) {
    public NetworkSpec withNic(NicSpec other) {
        return new NetworkSpec(other, nicsPerNode, fabric, library);
    }

    public NetworkSpec withFabric(FabricSpec other) {
        return new NetworkSpec(nic, nicsPerNode, other, library);
    }
}
