package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.ProgramLoops;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.device.GpuDevice;
import io.shardsim.simulator.device.GpuState;
import io.shardsim.simulator.device.HostCopy;
import io.shardsim.simulator.device.NicDevice;
import io.shardsim.simulator.device.Pace;
import io.shardsim.simulator.device.PortBank;
import io.shardsim.simulator.device.RankCollective;
import io.shardsim.simulator.device.RankPlan;
import io.shardsim.simulator.device.SwitchDevice;
import io.shardsim.simulator.kernel.Crossing;
import io.shardsim.simulator.kernel.DeviceState;
import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.kernel.FastForward;
import io.shardsim.simulator.kernel.LocalExchange;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.kernel.Lookahead;
import io.shardsim.simulator.kernel.MarkBoard;
import io.shardsim.simulator.kernel.Neighbours;
import io.shardsim.simulator.kernel.WindowExchange;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.protocol.ChunkCrossing;
import io.shardsim.simulator.protocol.DeviceMessage;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.simulator.protocol.Stop;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Hop;
import io.shardsim.topology.Link;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.Route;
import io.shardsim.topology.Router;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.jspecify.annotations.Nullable;

/** Builds the devices of a run, the paths between them, and what each GPU runs. */
final class Assembly implements SimulationEngine.Parts, RunView {
    /** Names of device actors must not hold brackets. */
    private static final String ACTOR_NAME_UNSAFE = "[\\[\\].]+";

    private final Cluster cluster;
    private final Router router;
    private final SimulationSetup setup;
    /** For each pipeline stage, what its ranks run. */
    private final List<RankPlan> plans;

    private final CollectiveSchedules schedules;
    private final NodeClasses nodes;
    private final Partition partition;
    private final MarkBoard marks = new MarkBoard();
    private final Timeline timeline;
    /** State of each device that is simulated, by its id; null elsewhere. */
    private final DeviceState[] states;

    private final PortBank[] banks;
    private final ActorRef<DeviceMessage>[] actors;
    /** What each simulated rank runs for each collective class; made when all actors exist. */
    private final Map<Integer, RankCollective[]> collectives = new TreeMap<>();
    /** What each simulated rank runs for each class of copies between GPU and host memory. */
    private final Map<Integer, RankCollective[]> hostCopies = new TreeMap<>();

    private final IdentityHashMap<CollectiveSchedules.Scheduled, Paces> pacesOf = new IdentityHashMap<>();
    private final IdentityHashMap<List<Primitive>, ProgramLoops> loopsOf = new IdentityHashMap<>();
    /** By their ids. */
    private final List<Path> paths = new ArrayList<>();
    /** By device and port. */
    private final Map<Long, Stop> stops = new HashMap<>();
    /** Least time from a message at a NIC to the uplink of its node, over all paths that leave a node [ps]. */
    private long outboundPsMin = Long.MAX_VALUE;

    /** By path id, for paths between GPUs; those to host memory come behind them. */
    private final List<PathOrigin> origins = new ArrayList<>();

    private final RunWatch watch;
    /** For each node, how many nodes it stands for; 0 for nodes that are left out. */
    private final int[] copies;

    private final @Nullable RunObserver observer;

    /** Which edge of which collective a path carries. */
    private record PathOrigin(int rank, int collectiveClass, int channel, int sendSlot) {}

    /**
     * @param processesMax logical processes that the run may be split into. One that skips in time is not split: it must see the whole state at one
     *     instant.
     * @param observer hears all that the run does, which is then one logical process; null when nobody watches
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // a generic array cannot be made otherwise
    Assembly(SimulationSetup setup, int processesMax, @Nullable RunObserver observer) {
        this.setup = setup;
        this.observer = observer;
        cluster = setup.cluster();
        requireFits("operations of a plan", setup.plan().size() + 1, EventOrder.OPERATIONS_MAX);
        requireFits("devices of a node", cluster.devicesPerNode(), EventOrder.NODE_SLOTS_MAX);
        requireFits("GPUs of a node", cluster.gpusPerNode(), EventOrder.LOCAL_RANKS_MAX);
        router = new Router(cluster);
        plans = RankPlan.ofStages(setup.plan(), setup.workTimes());
        requireWhole(setup.plan().stages(), cluster.worldSize());
        schedules = new CollectiveSchedules(cluster, setup.transports());
        nodes = setup.foldNodes()
                ? NodeClasses.of(cluster, this::planOf, schedules, setup.durationPerMille())
                : NodeClasses.separate(cluster);
        partition = new Partition(cluster, nodes, skipsInTime() || observer != null ? 1 : processesMax);
        timeline = new Timeline(setup.plan(), marks);
        watch = new RunWatch(timeline, observer);
        copies = new int[cluster.nodes()];
        for (int node = 0; node < copies.length; node++) {
            copies[nodes.representative(node)]++;
        }
        int devices = cluster.nodes() * cluster.devicesPerNode();
        states = new DeviceState[devices];
        banks = new PortBank[devices];
        actors = new ActorRef[devices];
        for (int node = 0; node < cluster.nodes(); node++) {
            if (nodes.isSimulated(node)) {
                createStates(node);
            }
        }
    }

    private boolean skipsInTime() {
        return setup.fastForward();
    }

    private static void requireWhole(int stages, int worldSize) {
        if (worldSize % stages != 0) {
            throw new IllegalArgumentException(
                    "world size " + worldSize + " is not a multiple of " + stages + " stages");
        }
    }

    /** What a rank runs; the ranks of a pipeline stage are neighbours. */
    private RankPlan planOf(int rank) {
        return plans.get(rank / (cluster.worldSize() / plans.size()));
    }

    private static void requireFits(String what, int value, int limit) {
        if (value > limit) {
            throw new IllegalArgumentException(what + ": " + value + " > " + limit);
        }
    }

    private void createStates(int node) {
        for (int slot = 0; slot < cluster.devicesPerNode(); slot++) {
            int id = cluster.deviceId(node, slot);
            banks[id] = new PortBank(id, links(node, slot), observer);
            states[id] = banks[id];
            if (slot < cluster.gpusPerNode()) {
                int rank = cluster.rank(node, slot);
                states[id] = new GpuState(
                        rank, planOf(rank), banks[id], cluster.instance().gpu().smCount());
                collectives.put(
                        rank, new RankCollective[planOf(rank).collectives().size()]);
                hostCopies.put(
                        rank, new RankCollective[planOf(rank).hostCopies().size()]);
            }
        }
    }

    @Override
    public int processes() {
        return partition.processes();
    }

    @Override
    public void spawn(int process, ActorContext<LogicalProcess.Command> context) {
        for (int node : partition.nodesOf(process)) {
            for (int slot = 0; slot < cluster.devicesPerNode(); slot++) {
                int id = cluster.deviceId(node, slot);
                String name = cluster.devicePath(id).replaceAll(ACTOR_NAME_UNSAFE, "-");
                actors[id] = context.spawn(behavior(id, slot), name, DispatcherSelector.sameAsParent());
            }
        }
    }

    private Behavior<DeviceMessage> behavior(int id, int slot) {
        if (states[id] instanceof GpuState gpu) {
            return GpuDevice.create(
                    new GpuDevice.GpuSpecification(
                            Objects.requireNonNull(collectives.get(gpu.rank())),
                            Objects.requireNonNull(hostCopies.get(gpu.rank())),
                            setup.durationPerMille().getOrDefault(gpu.rank(), 1000L),
                            watch.gpu(gpu.rank())),
                    gpu);
        }
        return isNic(slot) ? NicDevice.create(banks[id]) : SwitchDevice.create(banks[id]);
    }

    @Override
    public List<LogicalProcess.Command> commands() {
        fillAll();
        if (observer != null) {
            observer.onAssembled(this);
        }
        if (skipsInTime() || observer != null || partition.leaves() == 1) {
            FastForward fastForward =
                    skipsInTime() ? new FastForward(new PlanPeriods(plans), simulatedStates(), watch) : null;
            return List.of(new LogicalProcess.Command.RunAlone(() -> begin(0), fastForward, marks));
        }
        return commands(LocalExchange.among(processes()));
    }

    /** How the logical process runs that meets the others, wherever they are, at an exchange. */
    LogicalProcess.Command command(WindowExchange exchange) {
        fillAll();
        return commands(List.of(exchange)).get(0);
    }

    private void fillAll() {
        collectives.forEach(this::fill);
        hostCopies.forEach(this::fillHostCopies);
    }

    private List<LogicalProcess.Command> commands(List<WindowExchange> exchanges) {
        Lookahead lookahead = new Lookahead(
                outboundPsMin == Long.MAX_VALUE ? 0 : outboundPsMin,
                router.link(cluster.leafSlot(), Router.LEAF_UP_PORT).latencyPs());
        Crossing crossing = new ChunkCrossing(paths.toArray(Path[]::new));
        int[] leafOfDevice = new int[states.length];
        for (int id = 0; id < leafOfDevice.length; id++) {
            leafOfDevice[id] = partition.leafInProcess(id / cluster.devicesPerNode());
        }
        List<LogicalProcess.Command> commands = new ArrayList<>();
        for (WindowExchange exchange : exchanges) {
            commands.add(new LogicalProcess.Command.RunTogether(
                    () -> begin(exchange.self()),
                    new Neighbours(exchange, lookahead, crossing, partition.leavesOf(exchange.self()), leafOfDevice)));
        }
        return commands;
    }

    private List<DeviceState> simulatedStates() {
        return Arrays.stream(states).filter(Objects::nonNull).toList();
    }

    private boolean isNic(int slot) {
        return slot >= cluster.nicSlot(0) && slot < cluster.leafSlot();
    }

    private List<Link> links(int node, int slot) {
        List<Link> links = new ArrayList<>();
        for (int port = 0; port < router.portCount(slot); port++) {
            links.add(router.link(node, slot, port));
        }
        return links;
    }

    private void fill(int rank, RankCollective[] ofRank) {
        Bandwidth memoryRate = cluster.instance()
                .gpu()
                .memoryBandwidth()
                .scaled(setup.workTimes().memoryRatio());
        Bandwidth cacheRate = setup.workTimes().cacheRate();
        for (int i = 0; i < ofRank.length; i++) {
            if (!planOf(rank).runsCollective(i)) {
                continue;
            }
            Operation.Collective collective = planOf(rank).collectives().get(i);
            CollectiveSchedules.Scheduled scheduled = schedules.schedule(collective, rank);
            requireFits("channels of a collective", scheduled.channels(), EventOrder.CHANNELS_MAX);
            int member = collective.groups().memberIndex(rank);
            ChannelProgram[] programs = new ChannelProgram[scheduled.channels()];
            ProgramLoops[] loops = new ProgramLoops[programs.length];
            Path[][] pathsOfChannel = new Path[programs.length][];
            Pace[][] receivePaces = new Pace[programs.length][];
            Pace[][] sendPaces = new Pace[programs.length][];
            Paces paces = pacesOf.computeIfAbsent(scheduled, same -> new Paces(cluster, router, same));
            for (int channel = 0; channel < programs.length; channel++) {
                programs[channel] = scheduled.program(member, channel);
                loops[channel] = loopsOf.computeIfAbsent(programs[channel].primitives(), ProgramLoops::of);
                requireFits(
                        "receive slots of a program",
                        programs[channel].receivePeers().length,
                        EventOrder.RECEIVE_SLOTS_MAX);
                pathsOfChannel[channel] = paths(
                        rank, i, channel, programs[channel], scheduled.choice().transport());
                receivePaces[channel] = paces.receiving(channel, programs[channel]);
                sendPaces[channel] = paces.sending(channel, programs[channel]);
            }
            ofRank[i] = new RankCollective(
                    scheduled.choice().transport(),
                    programs,
                    loops,
                    pathsOfChannel,
                    receivePaces,
                    sendPaces,
                    memoryRate,
                    cacheRate);
        }
    }

    private void fillHostCopies(int rank, RankCollective[] ofRank) {
        for (int i = 0; i < ofRank.length; i++) {
            Work work = planOf(rank).hostCopies().get(i);
            Route route = work.kind() == Work.Kind.HOST_STORE ? router.toHost(rank) : router.fromHost(rank);
            Path path = path(route, cluster.localRank(rank), 0);
            ofRank[i] = HostCopy.of(rank, work.amount(), path, router.hostLatencyPs());
        }
    }

    private Path[] paths(int rank, int collectiveClass, int channel, ChannelProgram program, Transport transport) {
        Path[] result = new Path[program.sendPeers().length];
        for (int slot = 0; slot < result.length; slot++) {
            origins.add(new PathOrigin(rank, collectiveClass, channel, slot));
            int peer = program.sendPeers()[slot];
            boolean inside = cluster.nodeRank(peer) == cluster.nodeRank(rank);
            Route route = router.route(rank, peer, program.sendNics()[slot]);
            result[slot] =
                    path(route, cluster.localRank(peer), inside ? transport.intraStepPs() : transport.interStepPs());
            if (result[slot].outboundHop() != Path.NONE) {
                long bytes = transport.wireBytes(program.leastSliceBytes(slot));
                outboundPsMin = Math.min(outboundPsMin, outboundPs(route, result[slot].outboundHop(), bytes));
            }
        }
        return result;
    }

    /**
     * Least time between a chunk's last bit arriving at a NIC and at the uplink. The first bit arrived no more than the longest serialization on the way
     * before the last one, and the NIC needs its own serialization from then on.
     */
    private static long outboundPs(Route route, int outboundHop, long bytes) {
        Link wire = route.hops().get(outboundHop - 1).link();
        long spreadPs = 0;
        for (Hop hop : route.hops().subList(0, outboundHop - 1)) {
            spreadPs = Math.max(spreadPs, hop.link().serializationPs(bytes));
        }
        return wire.latencyPs() + Math.max(0, wire.serializationPs(bytes) - spreadPs);
    }

    private Path path(Route route, int destinationLocalRank, long arrivalPs) {
        int hops = route.hops().size();
        Stop[] stopsOfPath = new Stop[hops + 1];
        int outboundHop = Path.NONE;
        for (int i = 0; i < hops; i++) {
            Hop hop = route.hops().get(i);
            stopsOfPath[i] = stop(hop.deviceId(), hop.port());
            if (stopsOfPath[i].nodeSlot() == cluster.leafSlot() && hop.port() == Router.LEAF_UP_PORT) {
                outboundHop = i;
            }
        }
        stopsOfPath[hops] = stop(route.destinationId(), Router.NO_PORT);
        Path path = new Path(paths.size(), stopsOfPath, destinationLocalRank, outboundHop, arrivalPs);
        paths.add(path);
        return path;
    }

    private Stop stop(int deviceId, int port) {
        int id = simulated(deviceId);
        return stops.computeIfAbsent(
                (long) id << Integer.SIZE | port & 0xffffffffL,
                key -> new Stop(id, id % cluster.devicesPerNode(), port, actor(id)));
    }

    /** The device that is simulated in place of a device. */
    private int simulated(int deviceId) {
        int node = nodes.representative(deviceId / cluster.devicesPerNode());
        return cluster.deviceId(node, deviceId % cluster.devicesPerNode());
    }

    /** Ends the run at its next mark. */
    void abandon() {
        marks.abandon();
    }

    private void begin(int process) {
        for (int node : partition.nodesOf(process)) {
            for (int local = 0; local < cluster.gpusPerNode(); local++) {
                int id = cluster.deviceId(node, cluster.gpuSlot(local));
                actor(id).tell(GpuDevice.beginning(id));
            }
        }
    }

    /** The nodes of a logical process, ascending. */
    IntStream nodesOf(int process) {
        return partition.nodesOf(process).stream().mapToInt(Integer::intValue);
    }

    @Override
    public Cluster cluster() {
        return cluster;
    }

    @Override
    public StepPlan stepPlan() {
        return setup.plan();
    }

    @Override
    public int representative(int node) {
        return nodes.representative(node);
    }

    @Override
    public long nicBytesSent() {
        long sum = 0;
        for (int node = 0; node < cluster.nodes(); node++) {
            long bytes = 0;
            for (int nic = 0; nic < cluster.instance().nicsPerNode() && copies[node] > 0; nic++) {
                bytes += ports(cluster.deviceId(node, cluster.nicSlot(nic))).bytes(Router.NIC_WIRE_PORT);
            }
            sum += bytes * copies[node];
        }
        return sum;
    }

    @Override
    public long exposedPs() {
        long sum = 0;
        for (int rank : collectives.keySet()) {
            GpuState gpu = gpu(rank);
            for (Stream stream : Stream.values()) {
                sum += stream.exchangesData() ? copies[cluster.nodeRank(rank)] * gpu.exposedPs(stream) : 0;
            }
        }
        return sum;
    }

    @Override
    public long[] busyPs() {
        long[] sums = new long[LinkClass.values().length];
        for (int node = 0; node < cluster.nodes(); node++) {
            for (int slot = 0; slot < cluster.devicesPerNode() && copies[node] > 0; slot++) {
                PortBank bank = ports(cluster.deviceId(node, slot));
                for (int port = 0; port < bank.portCount(); port++) {
                    sums[router.link(slot, port).linkClass().ordinal()] += bank.busyPs(port) * copies[node];
                }
            }
        }
        return sums;
    }

    @Override
    public boolean isBetweenGpus(int pathId) {
        return pathId < origins.size();
    }

    @Override
    public int sourceRank(int pathId) {
        return origins.get(pathId).rank();
    }

    @Override
    public Route route(int pathId, int node) {
        PathOrigin origin = origins.get(pathId);
        int rank = cluster.rank(node, cluster.localRank(origin.rank()));
        Operation.Collective collective = planOf(rank).collectives().get(origin.collectiveClass());
        ChannelProgram program =
                schedules.schedule(collective, rank).program(collective.groups().memberIndex(rank), origin.channel());
        return router.route(rank, program.sendPeers()[origin.sendSlot()], program.sendNics()[origin.sendSlot()]);
    }

    Router router() {
        return router;
    }

    Timeline timeline() {
        return timeline;
    }

    /** State of the GPU that stands for a rank. */
    GpuState gpu(int rank) {
        return (GpuState) Objects.requireNonNull(
                states[simulated(cluster.deviceId(cluster.nodeRank(rank), cluster.gpuSlot(cluster.localRank(rank))))]);
    }

    /** Ports of the device that stands for a device. */
    PortBank ports(int deviceId) {
        return Objects.requireNonNull(banks[simulated(deviceId)]);
    }

    private ActorRef<DeviceMessage> actor(int deviceId) {
        return Objects.requireNonNull(actors[deviceId], () -> cluster.devicePath(deviceId));
    }
}
