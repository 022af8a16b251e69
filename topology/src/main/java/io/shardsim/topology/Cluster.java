package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of one instance type joined by a leaf/spine fabric; ranks are dealt node by node.
 *
 * <p>Every device has an id: {@code nodeRank * devicesPerNode + slot}. Slots of a node, in order: its GPUs, the NVSwitch, the PCIe
 * switches, the NICs, the leaf port pair that joins the node to its leaf, the spine ports that feed the node's leaf. The last two stand
 * for the node's share of switches outside it, so that a switch's output port lives with the node it feeds.
 *
 * @param faults what is slower than the instances are
 */
public record Cluster(InstanceSpec instance, int nodes, Faults faults) {
    /** A cluster whose nodes are all alike. */
    public Cluster(InstanceSpec instance, int nodes) {
        this(instance, nodes, Faults.NONE);
    }

    public Cluster {
        if (nodes < 1) {
            throw new IllegalArgumentException("cluster.nodes " + nodes + " < 1");
        }
    }

    /** The same with another network between nodes. */
    public Cluster withNetwork(NetworkSpec network) {
        return new Cluster(instance.with(instance.intraNode(), instance.pcie(), network), nodes, faults);
    }

    /** The same with other PCIe links. */
    public Cluster withPcie(PcieSpec pcie) {
        return new Cluster(instance.with(instance.intraNode(), pcie, instance.network()), nodes, faults);
    }

    /** The same with other links between the GPUs of a node. */
    public Cluster withIntraNode(IntraNodeSpec links) {
        return new Cluster(instance.with(links, instance.pcie(), instance.network()), nodes, faults);
    }

    /** Effective rate of {@code Node[0].Nic[0]}, both ways; null where all NICs are alike. */
    public @Nullable Bandwidth slowNicRate() {
        return faults.network().slowNicRate();
    }

    /** Whether a node's network differs from that of the others. */
    public boolean isOdd(int nodeRank) {
        return nodeRank == 0 && !faults.network().equals(NetworkFaults.NONE);
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

    /** PCIe switch of a GPU. */
    public int pcieSwitchOfGpu(int localRank) {
        return localRank * instance.pcie().switches() / instance.gpusPerNode();
    }

    /** PCIe switch of a NIC. */
    public int pcieSwitchOfNic(int nic) {
        return nic * instance.pcie().switches() / instance.nicsPerNode();
    }

    public int leafOf(int nodeRank) {
        return nodeRank / instance.fabric().nodesPerLeaf();
    }

    public int devicesPerNode() {
        return instance.gpusPerNode() + 1 + instance.pcie().switches() + instance.nicsPerNode() + 2;
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

    public int leafSlot() {
        return nicSlot(instance.nicsPerNode());
    }

    public int spineSlot() {
        return leafSlot() + 1;
    }

    public int deviceId(int nodeRank, int slot) {
        return nodeRank * devicesPerNode() + slot;
    }

    /** Name of a device by path with indices, as errors and reports print it. */
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
        if (slot < leafSlot()) {
            return node + ".Nic[" + (slot - nicSlot(0)) + "]";
        }
        return (slot == leafSlot() ? "Fabric.Leaf[" : "Fabric.Spine[") + nodeRank + "]";
    }
}
