package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the routes of a cluster.
 *
 * <p>Within an NVLink domain: GPU, NVSwitch, GPU, even without a physical switch: the transport accounts for the links that a group has. Otherwise:
 * GPU, PCIe switch, NIC, {@link Fabric}, NIC, PCIe switch, GPU. If a NIC cannot access GPU memory, data is staged in host memory on both sides: GPU,
 * PCIe switch, host, NIC. A chunk leaves by the NIC that its channel names and arrives by the NIC of the same index, so that it stays on its rail;
 * NICs are numbered across an NVLink domain. Traffic of a dead NIC uses the node's next one.
 *
 * <p>Output ports, by device: GPU 0 NVLink, 1 PCIe; NVSwitch i towards GPU i; PCIe switch i towards GPU i, gpusPerNode + j towards NIC j; NIC 0 wire,
 * 1 PCIe; the fabric numbers its own ports.
 *
 * <p>A PCIe switch has one more link, to the host, which the GPUs below it share. The host is not a device: the switch's port after the NIC ports
 * leads to host memory, and the next one represents the host's end of that link.
 */
public final class Router {
    /** Output port of a GPU towards the NVSwitch. */
    public static final int GPU_NVLINK_PORT = 0;
    /** Output port of a GPU towards its PCIe switch. */
    public static final int GPU_PCIE_PORT = 1;
    /** Output port of a NIC towards its leaf switch. */
    public static final int NIC_WIRE_PORT = 0;

    /** Placeholder port of a hop on which a GPU only requests data that the host sends. */
    public static final int NO_PORT = -1;

    private static final int NIC_PCIE_PORT = 1;

    private final Cluster cluster;
    private final Link nvLink;
    private final Link pcie;
    private final Link nicUp;
    private final Link nicDown;
    private final @Nullable Link slowNicUp;
    private final @Nullable Link slowNicDown;
    private final Fabric fabric;
    /** Share of leaf-spine capacity left to the first group of nodes [1]. */
    private final double leftByNeighbour;

    public Router(Cluster cluster) {
        this.cluster = cluster;
        InstanceSpec instance = cluster.instance();
        FabricSpec spec = instance.fabric();
        fabric = spec.family().build(cluster);
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
                LinkClass.NIC, nic.effectiveRate(), nic.perMessagePs(), nic.latencyPs() + Math.max(1, spec.hopPs()));
        nicDown = new Link(LinkClass.NIC, nic.effectiveRate(), 0, Math.max(1, spec.hopPs()));
        Bandwidth slow = cluster.slowNicRate();
        slowNicUp = slow == null ? null : new Link(LinkClass.NIC, slow, nic.perMessagePs(), nicUp.latencyPs());
        slowNicDown = slow == null ? null : new Link(LinkClass.NIC, slow, 0, nicDown.latencyPs());
        leftByNeighbour = 1 - cluster.faults().network().neighbourShare();
    }

    public Cluster cluster() {
        return cluster;
    }

    /** Returns the number of output ports of the device in a slot of a node. */
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
        return slot < cluster.fabricSlot() ? 2 : fabric.portCount(slot - cluster.fabricSlot());
    }

    /** Returns the link of an output port of a node. */
    public Link link(int nodeRank, int slot, int port) {
        boolean up = slot == cluster.nicSlot(0) && port == NIC_WIRE_PORT;
        boolean down = slot == cluster.fabricSlot() && port == fabric.nicPort(0);
        boolean cable = nodeRank == 0 && (up || down);
        Link link = link(slot, port);
        if (cable && slowNicUp != null && slowNicDown != null) {
            link = up ? slowNicUp : slowNicDown;
        }
        if (leftByNeighbour < 1 && link.linkClass() == LinkClass.SPINE && cluster.groupOf(nodeRank) == 0) {
            link = link.with(link.bandwidth().scaled(leftByNeighbour));
        }
        for (LinkFault fault : cluster.faults().network().links()) {
            link = fault.on(link, cable);
        }
        return link;
    }

    /** Returns the link of an output port of a node without faults. */
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
        if (slot < cluster.fabricSlot()) {
            return port == NIC_WIRE_PORT ? nicUp : pcie;
        }
        return fabric.link(slot - cluster.fabricSlot(), port);
    }

    /**
     * Returns the route between two ranks.
     *
     * @param nic NIC that sends and receives an inter-node chunk
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
        if (cluster.isJoined(sourceRank, destinationRank)) {
            add(hops, sourceNode, sourceGpuSlot, GPU_NVLINK_PORT);
            add(hops, destinationNode, cluster.nvSwitchSlot(), destinationGpu);
        } else {
            boolean staged = !cluster.instance().nic().gpuDirect();
            NetworkFaults faults = cluster.faults().network();
            int ofNode = nic % cluster.instance().nicsPerNode();
            int sourceNic = faults.carrier(sourceNode, ofNode);
            int destinationNic = faults.carrier(destinationNode, ofNode);
            int nicSwitch = cluster.pcieSwitchSlot(cluster.pcieSwitchOfNic(sourceNic));
            int sourceSwitch = cluster.pcieSwitchSlot(cluster.pcieSwitchOfGpu(cluster.localRank(sourceRank)));
            add(hops, sourceNode, sourceGpuSlot, GPU_PCIE_PORT);
            if (staged) {
                add(hops, sourceNode, sourceSwitch, hostPort(true));
            }
            add(hops, sourceNode, staged ? nicSwitch : sourceSwitch, cluster.gpusPerNode() + sourceNic);
            add(hops, sourceNode, cluster.nicSlot(sourceNic), NIC_WIRE_PORT);
            fabric.route(
                    sourceNode,
                    sourceNic,
                    destinationNode,
                    destinationNic,
                    (node, device, port) -> add(hops, node, cluster.fabricSlot() + device, port));
            add(hops, destinationNode, cluster.nicSlot(destinationNic), NIC_PCIE_PORT);
            int destinationSwitch = cluster.pcieSwitchSlot(cluster.pcieSwitchOfGpu(destinationGpu));
            if (staged) {
                add(hops, destinationNode, destinationSwitch, hostPort(false));
            }
            add(hops, destinationNode, destinationSwitch, destinationGpu);
        }
        return new Route(hops, cluster.deviceId(destinationNode, cluster.gpuSlot(destinationGpu)));
    }

    /** Returns whether a port is between a PCIe switch and the host. */
    public boolean isHostPort(int slot, int port) {
        return slot > cluster.nvSwitchSlot() && slot < cluster.nicSlot(0) && port >= hostPort(true);
    }

    private int hostPort(boolean toHost) {
        return cluster.gpusPerNode() + cluster.instance().nicsPerNode() + (toHost ? 0 : 1);
    }

    /** Returns the route from a GPU to host memory; the GPU then receives the completion. */
    public Route toHost(int rank) {
        int node = cluster.nodeRank(rank);
        int gpu = cluster.localRank(rank);
        List<Hop> hops = new ArrayList<>(2);
        add(hops, node, cluster.gpuSlot(gpu), GPU_PCIE_PORT);
        add(hops, node, cluster.pcieSwitchSlot(cluster.pcieSwitchOfGpu(gpu)), hostPort(true));
        return new Route(hops, cluster.deviceId(node, cluster.gpuSlot(gpu)));
    }

    /** Returns the route from host memory to a GPU, which starts with the GPU's request. */
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

    /** Returns the one-way latency from a GPU to the host [ps]. */
    public long hostLatencyPs() {
        return 2 * pcie.latencyPs();
    }

    /** Returns the latency between GPUs of the most distant nodes [ps]. */
    public long interNodeLatencyPs() {
        int pcieLinks = cluster.instance().nic().gpuDirect() ? 4 : 6;
        return pcieLinks * pcie.latencyPs() + nicUp.latencyPs() + fabric.latencyPs() + nicDown.latencyPs();
    }

    /** Returns whether this output port is the last hop of all traffic that leaves a group of nodes. */
    public boolean isOutbound(int slot, int port) {
        return slot >= cluster.fabricSlot() && fabric.isOutbound(slot - cluster.fabricSlot(), port);
    }

    /** Returns the latency of a fabric link [ps]. */
    public long hopLatencyPs() {
        return Math.max(1, cluster.instance().fabric().hopPs());
    }

    /** Returns whether this output port belongs to the fabric and lives with the receiver. */
    public boolean isDown(int slot, int port) {
        return slot >= cluster.fabricSlot() && !fabric.isUp(slot - cluster.fabricSlot(), port);
    }

    /** Returns whether output ports of the fabric serve several nodes. */
    public boolean sharesPorts() {
        return fabric.sharesPorts();
    }

    /** Returns a number that is equal for pairs of nodes with equivalent routes. */
    public int distance(int nodeRank, int other) {
        if (nodeRank == other) {
            return 0;
        }
        return nodeRank / cluster.nodesPerDomain() == other / cluster.nodesPerDomain()
                ? 1
                : 2 + fabric.distance(nodeRank, other);
    }

    private void add(List<Hop> hops, int nodeRank, int slot, int port) {
        hops.add(new Hop(cluster.deviceId(nodeRank, slot), port, link(nodeRank, slot, port)));
    }
}
