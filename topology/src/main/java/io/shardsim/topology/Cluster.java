package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of one instance type joined by a fabric; ranks are numbered node by node.
 *
 * <p>Every device has an id: {@code nodeRank * devicesPerNode + slot}. Slots of a node, in order: its GPUs, the NVSwitch, the PCIe switches, the
 * NICs, and the devices of its {@link Fabric}, which represent the node's share of switches outside it.
 *
 * @param faults deviations from the nominal speeds of the instances
 */
public record Cluster(InstanceSpec instance, int nodes, Faults faults) {
    /** Creates a cluster without faults. */
    public Cluster(InstanceSpec instance, int nodes) {
        this(instance, nodes, Faults.NONE);
    }

    public Cluster {
        if (nodes < 1) {
            throw new IllegalArgumentException("cluster.nodes " + nodes + " < 1");
        }
    }

    /** Returns this cluster with another network between nodes. */
    public Cluster withNetwork(NetworkSpec network) {
        return new Cluster(instance.with(instance.intraNode(), instance.pcie(), network), nodes, faults);
    }

    /** Returns this cluster with other PCIe links. */
    public Cluster withPcie(PcieSpec pcie) {
        return new Cluster(instance.with(instance.intraNode(), pcie, instance.network()), nodes, faults);
    }

    /** Returns this cluster with other links between the GPUs of a node. */
    public Cluster withIntraNode(IntraNodeSpec links) {
        return new Cluster(instance.with(links, instance.pcie(), instance.network()), nodes, faults);
    }

    /** Returns the effective rate of {@code Node[0].Nic[0]} in each direction; null if all NICs are alike. */
    public @Nullable Bandwidth slowNicRate() {
        return faults.network().slowNicRate();
    }

    /** Returns whether a node's network differs from that of other nodes. */
    public boolean isOdd(int nodeRank) {
        return nodeRank == 0 && faults.network().isOfOneNode();
    }

    public int gpusPerNode() {
        return instance.gpusPerNode();
    }

    public int worldSize() {
        return Math.multiplyExact(nodes, instance.gpusPerNode());
    }

    public int nodeRank(int rank) {
        return rank / instance.gpusPerNode();
    }

    public int localRank(int rank) {
        return rank % instance.gpusPerNode();
    }

    public int rank(int nodeRank, int localRank) {
        return nodeRank * instance.gpusPerNode() + localRank;
    }

    /** Returns the PCIe switch of a GPU. */
    public int pcieSwitchOfGpu(int localRank) {
        return localRank * instance.pcie().switches() / instance.gpusPerNode();
    }

    /** Returns the PCIe switch of a NIC. */
    public int pcieSwitchOfNic(int nic) {
        return nic * instance.pcie().switches() / instance.nicsPerNode();
    }

    /** Returns the index of a node's group: nodes that reach each other below the top tier. */
    public int groupOf(int nodeRank) {
        return nodeRank / instance.fabric().family().groupNodes(instance.fabric(), nodes);
    }

    /** Returns the number of nodes per NVLink domain; 1 if NVLink stays inside a node. */
    public int nodesPerDomain() {
        return Math.min(instance.fabric().nodesPerDomain(), nodes);
    }

    /** Returns whether two ranks' GPUs share an NVLink domain. */
    public boolean isJoined(int rank, int other) {
        return nodeRank(rank) / nodesPerDomain() == nodeRank(other) / nodesPerDomain();
    }

    /** Returns this cluster as collectives see it: each NVLink domain is one node. */
    public Cluster byDomain() {
        int joined = nodesPerDomain();
        return joined == 1 ? this : new Cluster(instance.joined(joined), nodes / joined, faults);
    }

    public int devicesPerNode() {
        return fabricSlot() + fabricDevices().size();
    }

    private List<String> fabricDevices() {
        return instance.fabric().family().devices(instance.fabric(), nodes);
    }

    public int gpuSlot(int localRank) {
        return localRank;
    }

    public int nvSwitchSlot() {
        return instance.gpusPerNode();
    }

    public int pcieSwitchSlot(int pcieSwitch) {
        return instance.gpusPerNode() + 1 + pcieSwitch;
    }

    public int nicSlot(int nic) {
        return instance.gpusPerNode() + 1 + instance.pcie().switches() + nic;
    }

    /** Returns the slot of the fabric's first device. */
    public int fabricSlot() {
        return nicSlot(instance.nicsPerNode());
    }

    public int deviceId(int nodeRank, int slot) {
        return nodeRank * devicesPerNode() + slot;
    }

    /** Returns the path of a device, with indices, as errors and reports print it. */
    public String devicePath(int deviceId) {
        int nodeRank = deviceId / devicesPerNode();
        int slot = deviceId % devicesPerNode();
        String node = "Node[" + nodeRank + "]";
        if (slot < nvSwitchSlot()) {
            return node + ".Gpu[" + slot + "]";
        }
        if (slot == nvSwitchSlot()) {
            return node + ".NvSwitch";
        }
        if (slot < nicSlot(0)) {
            return node + ".PcieSwitch[" + (slot - pcieSwitchSlot(0)) + "]";
        }
        if (slot < fabricSlot()) {
            return node + ".Nic[" + (slot - nicSlot(0)) + "]";
        }
        return "Fabric." + fabricDevices().get(slot - fabricSlot()) + "[" + nodeRank + "]";
    }
}
