package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the routes of a cluster.
 *
 * <p>Inside a node: GPU, NVSwitch, GPU; where NVLinks join GPUs without a switch, too, for what a group has of them is its transport's affair. Between nodes: GPU, PCIe switch, NIC, leaf, spine, leaf, NIC, PCIe switch, GPU, without the spine
 * where both nodes share a leaf. Where a NIC cannot reach GPU memory, data is staged in host memory on both sides: GPU, PCIe switch, host, NIC. A chunk leaves by the NIC that its channel names and arrives by the NIC of the same index, so that it stays on its rail. What a lost NIC would carry takes the node's next one.
 *
 * <p>Output ports, by device: GPU 0 NVLink, 1 PCIe; NVSwitch i towards GPU i; PCIe switch i towards GPU i, gpusPerNode + j towards NIC j;
 * NIC 0 wire, 1 PCIe; leaf 0 spine, 1 + j towards NIC j; spine 0 towards its leaf.
 *
 * <p>A PCIe switch has one more link, to the host, which the GPUs below it share. The host is no device of its own: the switch's port after those of the NICs leads
 * to host memory, and the one after that stands for the host's end of the same link.
 */
public final class Router {
    /** Output port of a GPU towards the NVSwitch. */
    public static final int GPU_NVLINK_PORT = 0;
    /** Output port of a GPU towards its PCIe switch. */
    public static final int GPU_PCIE_PORT = 1;
    /** Output port of a leaf switch towards the spine. */
    public static final int LEAF_UP_PORT = 0;

    /** Output port of a NIC towards its leaf switch. */
    public static final int NIC_WIRE_PORT = 0;

    /** In place of a port where a GPU only asks for data that somebody else sends. */
    public static final int NO_PORT = -1;

    private static final int NIC_PCIE_PORT = 1;
    private static final int SPINE_DOWN_PORT = 0;

    private final Cluster cluster;
    private final Link nvLink;
    private final Link pcie;
    private final Link nicUp;
    private final Link nicDown;
    private final @Nullable Link slowNicUp;
    private final @Nullable Link slowNicDown;
    private final Link leafUp;
    private final Link spineDown;
    /** Between the leaf of Node[0] and the spine, where others take a share; null where nobody does. */
    private final @Nullable Link sharedSpine;

    public Router(Cluster cluster) {
        this.cluster = cluster;
        InstanceSpec instance = cluster.instance();
        FabricSpec fabric = instance.fabric();
        nvLink = new Link(
                LinkClass.NVLINK,
                instance.intraNode().perGpuRate(),
                0,
                Math.max(1, instance.intraNode().latencyPs() / 2));
        pcie = new Link(
                LinkClass.PCIE,
                instance.pcie().linkRate(),
                0,
                Math.max(1, instance.pcie().latencyPs()));
        NicSpec nic = instance.nic();
        nicUp = new Link(
                LinkClass.NIC, nic.effectiveRate(), nic.perMessagePs(), nic.latencyPs() + Math.max(1, fabric.hopPs()));
        nicDown = new Link(LinkClass.NIC, nic.effectiveRate(), 0, Math.max(1, fabric.hopPs()));
        Bandwidth slow = cluster.slowNicRate();
        slowNicUp = slow == null ? null : new Link(LinkClass.NIC, slow, nic.perMessagePs(), nicUp.latencyPs());
        slowNicDown = slow == null ? null : new Link(LinkClass.NIC, slow, 0, nicDown.latencyPs());
        int nicsPerLeaf = Math.multiplyExact(instance.nicsPerNode(), fabric.nodesPerLeaf());
        leafUp = new Link(
                LinkClass.SPINE,
                nic.effectiveRate().times(nicsPerLeaf).scaled(1.0 / fabric.oversubscription()),
                0,
                Math.max(1, fabric.hopPs()));
        spineDown = leafUp;
        double neighbour = cluster.faults().network().neighbourShare();
        sharedSpine = neighbour == 0
                ? null
                : new Link(LinkClass.SPINE, leafUp.bandwidth().scaled(1 - neighbour), 0, leafUp.latencyPs());
    }

    public Cluster cluster() {
        return cluster;
    }

    /** Number of output ports of the device in a slot of a node. */
    public int portCount(int slot) {
        if (slot < cluster.nvSwitchSlot()) {
            return 2;
        }
        if (slot == cluster.nvSwitchSlot()) {
            return cluster.gpusPerNode();
        }
        if (slot < cluster.nicSlot(0)) {
            return hostPort(false) + 1;
        }
        if (slot < cluster.leafSlot()) {
            return 2;
        }
        return slot == cluster.leafSlot() ? 1 + cluster.instance().nicsPerNode() : 1;
    }

    /** The link behind an output port of one node. */
    public Link link(int nodeRank, int slot, int port) {
        if (cluster.isOdd(nodeRank) && slowNicUp != null && slowNicDown != null) {
            if (slot == cluster.nicSlot(0) && port == NIC_WIRE_PORT) {
                return slowNicUp;
            }
            if (slot == cluster.leafSlot() && port == LEAF_UP_PORT + 1) {
                return slowNicDown;
            }
        }
        boolean toOrFromSpine = slot == cluster.leafSlot() && port == LEAF_UP_PORT || slot == cluster.spineSlot();
        if (sharedSpine != null && toOrFromSpine && cluster.leafOf(nodeRank) == 0) {
            return sharedSpine;
        }
        return link(slot, port);
    }

    /** The link behind an output port of a node like most. */
    public Link link(int slot, int port) {
        if (slot < cluster.nvSwitchSlot()) {
            return port == GPU_NVLINK_PORT ? nvLink : pcie;
        }
        if (slot == cluster.nvSwitchSlot()) {
            return nvLink;
        }
        if (slot < cluster.nicSlot(0)) {
            return pcie;
        }
        if (slot < cluster.leafSlot()) {
            return port == NIC_WIRE_PORT ? nicUp : pcie;
        }
        if (slot == cluster.leafSlot()) {
            return port == LEAF_UP_PORT ? leafUp : nicDown;
        }
        return spineDown;
    }

    /**
     * The route between two ranks.
     *
     * @param nic NIC by which an inter-node chunk leaves and arrives
     */
    public Route route(int sourceRank, int destinationRank, int nic) {
        if (sourceRank == destinationRank) {
            throw new IllegalArgumentException("no route from rank " + sourceRank + " to itself");
        }
        int sourceNode = cluster.nodeRank(sourceRank);
        int destinationNode = cluster.nodeRank(destinationRank);
        int destinationGpu = cluster.localRank(destinationRank);
        List<Hop> hops = new ArrayList<>(11);
        int sourceGpuSlot = cluster.gpuSlot(cluster.localRank(sourceRank));
        if (sourceNode == destinationNode) {
            add(hops, sourceNode, sourceGpuSlot, GPU_NVLINK_PORT);
            add(hops, sourceNode, cluster.nvSwitchSlot(), destinationGpu);
        } else {
            boolean staged = !cluster.instance().nic().gpuDirect();
            NetworkFaults faults = cluster.faults().network();
            int sourceNic = faults.carrier(sourceNode, nic);
            int destinationNic = faults.carrier(destinationNode, nic);
            int nicSwitch = cluster.pcieSwitchSlot(cluster.pcieSwitchOfNic(sourceNic));
            int sourceSwitch = cluster.pcieSwitchSlot(cluster.pcieSwitchOfGpu(cluster.localRank(sourceRank)));
            add(hops, sourceNode, sourceGpuSlot, GPU_PCIE_PORT);
            if (staged) {
                add(hops, sourceNode, sourceSwitch, hostPort(true));
            }
            add(hops, sourceNode, staged ? nicSwitch : sourceSwitch, cluster.gpusPerNode() + sourceNic);
            add(hops, sourceNode, cluster.nicSlot(sourceNic), NIC_WIRE_PORT);
            int sourceLeaf = cluster.leafOf(sourceNode);
            int destinationLeaf = cluster.leafOf(destinationNode);
            if (sourceLeaf != destinationLeaf) {
                int nodesPerLeaf = cluster.instance().fabric().nodesPerLeaf();
                add(hops, sourceLeaf * nodesPerLeaf, cluster.leafSlot(), LEAF_UP_PORT);
                add(hops, destinationLeaf * nodesPerLeaf, cluster.spineSlot(), SPINE_DOWN_PORT);
            }
            add(hops, destinationNode, cluster.leafSlot(), 1 + destinationNic);
            add(hops, destinationNode, cluster.nicSlot(destinationNic), NIC_PCIE_PORT);
            int destinationSwitch = cluster.pcieSwitchSlot(cluster.pcieSwitchOfGpu(destinationGpu));
            if (staged) {
                add(hops, destinationNode, destinationSwitch, hostPort(false));
            }
            add(hops, destinationNode, destinationSwitch, destinationGpu);
        }
        return new Route(hops, cluster.deviceId(destinationNode, cluster.gpuSlot(destinationGpu)));
    }

    /** True for the ports between a PCIe switch and the host. */
    public boolean isHostPort(int slot, int port) {
        return slot > cluster.nvSwitchSlot() && slot < cluster.nicSlot(0) && port >= hostPort(true);
    }

    private int hostPort(boolean toHost) {
        return cluster.gpusPerNode() + cluster.instance().nicsPerNode() + (toHost ? 0 : 1);
    }

    /** From a GPU to host memory; ends at the GPU, which learns that the data is there. */
    public Route toHost(int rank) {
        int node = cluster.nodeRank(rank);
        int gpu = cluster.localRank(rank);
        List<Hop> hops = new ArrayList<>(2);
        add(hops, node, cluster.gpuSlot(gpu), GPU_PCIE_PORT);
        add(hops, node, cluster.pcieSwitchSlot(cluster.pcieSwitchOfGpu(gpu)), hostPort(true));
        return new Route(hops, cluster.deviceId(node, cluster.gpuSlot(gpu)));
    }

    /** From host memory to a GPU, which begins it by asking. */
    public Route fromHost(int rank) {
        int node = cluster.nodeRank(rank);
        int gpu = cluster.localRank(rank);
        int pcieSwitch = cluster.pcieSwitchSlot(cluster.pcieSwitchOfGpu(gpu));
        List<Hop> hops = new ArrayList<>(3);
        hops.add(new Hop(cluster.deviceId(node, cluster.gpuSlot(gpu)), NO_PORT, pcie));
        add(hops, node, pcieSwitch, hostPort(false));
        add(hops, node, pcieSwitch, gpu);
        return new Route(hops, cluster.deviceId(node, cluster.gpuSlot(gpu)));
    }

    /** Latency from a GPU to the host, one way [ps]. */
    public long hostLatencyPs() {
        return 2 * pcie.latencyPs();
    }

    /** Latency of a route between nodes that do not share a leaf, GPU to GPU [ps]. */
    public long interNodeLatencyPs() {
        int pcieLinks = cluster.instance().nic().gpuDirect() ? 4 : 6;
        return pcieLinks * pcie.latencyPs()
                + nicUp.latencyPs()
                + leafUp.latencyPs()
                + spineDown.latencyPs()
                + nicDown.latencyPs();
    }

    private void add(List<Hop> hops, int nodeRank, int slot, int port) {
        hops.add(new Hop(cluster.deviceId(nodeRank, slot), port, link(nodeRank, slot, port)));
    }
}
