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

/** What an observer may ask about a run while it goes on. Nodes that are left out count as the nodes that stand for them. */
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

    /** Name of the algorithm that carries a collective, the library's choice included, in the group of least ranks. */
    public String algorithm(Operation.Collective collective) {
        return placement
                .schedules()
                .schedule(collective, collective.groups().first())
                .choice()
                .algorithm()
                .name();
    }

    /** The node that is simulated in place of a node. */
    public int representative(int node) {
        return placement.nodes().representative(node);
    }

    /** Class of the link that a port of a simulated device leads to. */
    public LinkClass link(int deviceId, int port) {
        return router.link(deviceId % cluster.devicesPerNode(), port).linkClass();
    }

    /** Bytes that all NICs have been given to send until now. */
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

    /** Time that the compute streams of all ranks have waited for collectives until now, added up [ps]. */
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

    /** For each link class, the time that its transmitters have been or will be held by what is booked until now, added up [ps]. */
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

    /** Whether a path leads from GPU to GPU, as those of collectives do. */
    public boolean isBetweenGpus(int pathId) {
        return paths.isBetweenGpus(pathId);
    }

    /** Global rank of the simulated GPU that a path begins at. */
    public int sourceRank(int pathId) {
        return paths.origin(pathId).rank();
    }

    /**
     * The way that chunks of a path really take in the copy of a simulated node.
     *
     * @param pathId as {@link io.shardsim.simulator.protocol.Path#id} names it
     * @param node a node that the path's source node stands for, or that node itself
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
