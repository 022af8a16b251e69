package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.device.GpuState;
import io.shardsim.simulator.device.PortBank;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.Route;
import io.shardsim.topology.Router;

/** View of a running simulation for observers. Nodes that are not simulated count through their representatives. */
public final class RunView {
    private final SimulationSetup setup;
    private final Cluster cluster;
    private final Router router;
    private final Placement placement;
    private final Devices devices;
    private final Paths paths;

    RunView(SimulationSetup setup, Router router, Placement placement, Devices devices, Paths paths) {
        this.setup = setup;
        cluster = setup.cluster();
        this.router = router;
        this.placement = placement;
        this.devices = devices;
        this.paths = paths;
    }

    public Cluster cluster() {
        return cluster;
    }

    public StepPlan stepPlan() {
        return setup.plan();
    }

    /** Returns the algorithm of a collective, the library's choice included, in the group of least ranks. */
    public String algorithm(Operation.Collective collective) {
        return placement
                .schedules()
                .schedule(collective, collective.groups().first())
                .choice()
                .algorithm()
                .name();
    }

    /** Returns the node simulated for a node. */
    public int representative(int node) {
        return placement.nodes().representative(node);
    }

    /** Returns the class of the link at a port of a simulated device. */
    public LinkClass link(int deviceId, int port) {
        return router.link(deviceId % cluster.devicesPerNode(), port).linkClass();
    }

    /** Returns the bytes given to all NICs to send so far. */
    public long nicBytesSent() {
        long sum = 0;
        for (int node = 0; node < cluster.nodes(); node++) {
            long bytes = 0;
            for (int nic = 0; nic < cluster.instance().nicsPerNode() && placement.copies(node) > 0; nic++) {
                bytes += devices.ports(cluster.deviceId(node, cluster.nicSlot(nic)))
                        .bytes(Router.NIC_WIRE_PORT);
            }
            sum += bytes * placement.copies(node);
        }
        return sum;
    }

    /** Returns the total time that the compute streams of all ranks have waited for collectives so far [ps]. */
    public long exposedPs() {
        long sum = 0;
        for (int rank : devices.ranks()) {
            GpuState gpu = devices.gpu(rank);
            for (Stream stream : Stream.values()) {
                sum += stream.exchangesData() ? placement.copies(cluster.nodeRank(rank)) * gpu.exposedPs(stream) : 0;
            }
        }
        return sum;
    }

    /** Returns the total busy time of transmitters from bookings so far, by link class [ps]. */
    public long[] busyPs() {
        long[] sums = new long[LinkClass.values().length];
        for (int node = 0; node < cluster.nodes(); node++) {
            for (int slot = 0; slot < cluster.devicesPerNode() && placement.copies(node) > 0; slot++) {
                PortBank bank = devices.ports(cluster.deviceId(node, slot));
                for (int port = 0; port < bank.portCount(); port++) {
                    sums[router.link(slot, port).linkClass().ordinal()] += bank.busyPs(port) * placement.copies(node);
                }
            }
        }
        return sums;
    }

    /** Returns whether a path leads from GPU to GPU, as a collective's paths do. */
    public boolean isBetweenGpus(int pathId) {
        return paths.isBetweenGpus(pathId);
    }

    /** Returns the global rank of the simulated GPU at the start of a path. */
    public int sourceRank(int pathId) {
        return paths.origin(pathId).rank();
    }

    /**
     * Returns the actual route of a path's chunks in the copy of a simulated node.
     *
     * @param pathId {@link io.shardsim.simulator.protocol.Path#id}
     * @param node node that the path's source node represents, or that node itself
     */
    public Route route(int pathId, int node) {
        Paths.Origin origin = paths.origin(pathId);
        int rank = cluster.rank(node, cluster.localRank(origin.rank()));
        Operation.Collective collective = placement.planOf(rank).collectives().get(origin.collectiveClass());
        ChannelProgram program = placement
                .schedules()
                .schedule(collective, rank)
                .program(collective.groups().memberIndex(rank), origin.channel());
        return router.route(rank, program.sendPeers()[origin.sendSlot()], program.sendNics()[origin.sendSlot()]);
    }
}
