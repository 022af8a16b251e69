package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.device.GpuDevice;
import io.shardsim.simulator.device.GpuState;
import io.shardsim.simulator.device.NicDevice;
import io.shardsim.simulator.device.PortBank;
import io.shardsim.simulator.device.RankCollective;
import io.shardsim.simulator.device.RankPlan;
import io.shardsim.simulator.device.SwitchDevice;
import io.shardsim.simulator.kernel.DeviceState;
import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.kernel.FastForward;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.kernel.MarkBoard;
import io.shardsim.simulator.protocol.DeviceMessage;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.simulator.strategy.Operation;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Hop;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.Link;
import io.shardsim.topology.Route;
import io.shardsim.topology.Router;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.ActorContext;

/** Builds the devices of a run, the paths between them, and what each GPU runs. */
final class Assembly {
    /** Names of device actors must not hold brackets. */
    private static final String ACTOR_NAME_UNSAFE = "[\\[\\].]+";

    private final Cluster cluster;
    private final Router router;
    private final SimulationSetup setup;
    private final RankPlan plan;
    private final CollectiveSchedules schedules;
    private final NodeClasses nodes;
    private final MarkBoard marks = new MarkBoard();
    private final Timeline timeline;
    private final List<DeviceState> states = new ArrayList<>();
    private final Map<Integer, GpuState> gpus = new HashMap<>();
    private final Map<Integer, PortBank> banks = new HashMap<>();
    private final Map<Integer, ActorRef<DeviceMessage>> actors = new HashMap<>();
    private int paths;

    Assembly(SimulationSetup setup) {
        this.setup = setup;
        cluster = setup.cluster();
        router = new Router(cluster);
        plan = new RankPlan(setup.plan(), setup.workPs());
        schedules = new CollectiveSchedules(cluster, setup.transports());
        nodes = setup.foldNodes()
                ? NodeClasses.of(cluster, plan, schedules, setup.durationPerMille())
                : NodeClasses.separate(cluster);
        timeline = new Timeline(0, setup.plan(), marks);
        requireFits("operations of a plan", setup.plan().size() + 1, EventOrder.OPERATIONS_MAX);
        requireFits("devices of a node", cluster.devicesPerNode(), EventOrder.NODE_SLOTS_MAX);
        requireFits("GPUs of a node", cluster.gpusPerNode(), EventOrder.LOCAL_RANKS_MAX);
    }

    private static void requireFits(String what, int value, int limit) {
        if (value > limit) {
            throw new IllegalArgumentException(what + ": " + value + " > " + limit);
        }
    }

    /** Creates all devices as children of a logical process. */
    LogicalProcess.Devices spawn(ActorContext<LogicalProcess.Command> context) {
        Map<Integer, RankCollective[]> collectives = new HashMap<>();
        for (int node = 0; node < cluster.nodes(); node++) {
            if (nodes.isSimulated(node)) {
                spawnNode(context, node, collectives);
            }
        }
        collectives.forEach(this::fill);
        FastForward fastForward = setup.fastForward() ? new FastForward(new PlanPeriods(plan), states, timeline) : null;
        return new LogicalProcess.Devices(states, fastForward, marks, this::begin);
    }

    private void spawnNode(
            ActorContext<LogicalProcess.Command> context, int node, Map<Integer, RankCollective[]> collectives) {
        for (int slot = 0; slot < cluster.devicesPerNode(); slot++) {
            int id = cluster.deviceId(node, slot);
            PortBank bank = new PortBank(id, links(slot));
            banks.put(id, bank);
            Behavior<DeviceMessage> behavior;
            if (slot < cluster.gpusPerNode()) {
                int rank = cluster.rank(node, slot);
                GpuState state =
                        new GpuState(rank, plan, bank, cluster.instance().gpu().smCount());
                gpus.put(rank, state);
                states.add(state);
                RankCollective[] ofRank = new RankCollective[plan.collectives().size()];
                collectives.put(rank, ofRank);
                behavior = GpuDevice.create(
                        new GpuDevice.GpuSpecification(
                                ofRank,
                                setup.durationPerMille().getOrDefault(rank, 1000L),
                                rank == 0 ? timeline : null),
                        state);
            } else {
                states.add(bank);
                behavior = isNic(slot) ? NicDevice.create(bank) : SwitchDevice.create(bank);
            }
            String name = cluster.devicePath(id).replaceAll(ACTOR_NAME_UNSAFE, "-");
            actors.put(id, context.spawn(behavior, name, DispatcherSelector.sameAsParent()));
        }
    }

    private boolean isNic(int slot) {
        return slot >= cluster.nicSlot(0) && slot < cluster.leafSlot();
    }

    private List<Link> links(int slot) {
        List<Link> links = new ArrayList<>();
        for (int port = 0; port < router.portCount(slot); port++) {
            links.add(router.link(slot, port));
        }
        return links;
    }

    private void fill(int rank, RankCollective[] ofRank) {
        for (int i = 0; i < ofRank.length; i++) {
            Operation.Collective collective = plan.collectives().get(i);
            CollectiveSchedules.Scheduled scheduled = schedules.schedule(collective, rank);
            requireFits("channels of a collective", scheduled.channels(), EventOrder.CHANNELS_MAX);
            int member = collective.groups().memberIndex(rank);
            ChannelProgram[] programs = new ChannelProgram[scheduled.channels()];
            Path[][] pathsOfChannel = new Path[programs.length][];
            for (int channel = 0; channel < programs.length; channel++) {
                programs[channel] = scheduled.program(member, channel);
                requireFits(
                        "receive slots of a program",
                        programs[channel].receivePeers().length,
                        EventOrder.RECEIVE_SLOTS_MAX);
                pathsOfChannel[channel] =
                        paths(rank, programs[channel], scheduled.choice().transport());
            }
            ofRank[i] = withPace(scheduled, programs, pathsOfChannel);
        }
    }

    /** Finds the slowest edge of a collective from where its group lies: between nodes if it spans any, else inside one. */
    private RankCollective withPace(
            CollectiveSchedules.Scheduled scheduled, ChannelProgram[] programs, Path[][] pathsOfChannel) {
        Transport transport = scheduled.choice().transport();
        int[] members = scheduled.request().members();
        InstanceSpec instance = cluster.instance();
        boolean spansNodes = cluster.nodeRank(members[0]) != cluster.nodeRank(members[members.length - 1]);
        Bandwidth shared = spansNodes
                ? instance.nic().effectiveRate().times(instance.nicsPerNode())
                : instance.intraNode().perGpuRate();
        double share = 1.0 / (transport.wireRatio() * Math.max(1, programs.length));
        Bandwidth rate = shared.scaled(share);
        Bandwidth copyRate = transport.copyRate();
        long latencyPs = spansNodes
                ? transport.interStepPs() + router.interNodeLatencyPs()
                : transport.intraStepPs() + instance.intraNode().latencyPs();
        return new RankCollective(
                transport, programs, pathsOfChannel, latencyPs, rate.compareTo(copyRate) < 0 ? rate : copyRate);
    }

    private Path[] paths(int rank, ChannelProgram program, Transport transport) {
        Path[] result = new Path[program.sendPeers().length];
        for (int slot = 0; slot < result.length; slot++) {
            int peer = program.sendPeers()[slot];
            boolean inside = cluster.nodeRank(peer) == cluster.nodeRank(rank);
            result[slot] = path(
                    router.route(rank, peer, program.sendNics()[slot]),
                    cluster.localRank(peer),
                    inside ? transport.intraStepPs() : transport.interStepPs());
        }
        return result;
    }

    private Path path(Route route, int destinationLocalRank, long arrivalPs) {
        int hops = route.hops().size();
        int[] deviceIds = new int[hops + 1];
        int[] ports = new int[hops];
        int[] nodeSlots = new int[hops];
        @SuppressWarnings({"unchecked", "rawtypes"}) // a generic array cannot be made otherwise
        ActorRef<DeviceMessage>[] refs = new ActorRef[hops + 1];
        for (int i = 0; i <= hops; i++) {
            int id = i < hops ? route.hops().get(i).deviceId() : route.destinationId();
            deviceIds[i] = simulated(id);
            refs[i] = actor(deviceIds[i]);
        }
        for (int i = 0; i < hops; i++) {
            Hop hop = route.hops().get(i);
            ports[i] = hop.port();
            nodeSlots[i] = hop.deviceId() % cluster.devicesPerNode();
        }
        return new Path(paths++, deviceIds, refs, ports, nodeSlots, destinationLocalRank, arrivalPs);
    }

    /** The device that is simulated in place of a device. */
    private int simulated(int deviceId) {
        int node = nodes.representative(deviceId / cluster.devicesPerNode());
        return cluster.deviceId(node, deviceId % cluster.devicesPerNode());
    }

    private void begin() {
        for (GpuState gpu : gpus.values()) {
            actor(gpu.deviceId()).tell(GpuDevice.beginning(gpu.deviceId()));
        }
    }

    Cluster cluster() {
        return cluster;
    }

    Router router() {
        return router;
    }

    Timeline timeline() {
        return timeline;
    }

    /** State of the GPU that stands for a rank. */
    GpuState gpu(int rank) {
        int node = nodes.representative(cluster.nodeRank(rank));
        return Objects.requireNonNull(gpus.get(cluster.rank(node, cluster.localRank(rank))));
    }

    /** Ports of the device that stands for a device. */
    PortBank ports(int deviceId) {
        return Objects.requireNonNull(banks.get(simulated(deviceId)));
    }

    private ActorRef<DeviceMessage> actor(int deviceId) {
        return Objects.requireNonNull(actors.get(deviceId), () -> cluster.devicePath(deviceId));
    }

    /** Number of nodes that are simulated. */
    int simulatedNodes() {
        int count = 0;
        for (int node = 0; node < cluster.nodes(); node++) {
            count += nodes.isSimulated(node) ? 1 : 0;
        }
        return count;
    }
}
