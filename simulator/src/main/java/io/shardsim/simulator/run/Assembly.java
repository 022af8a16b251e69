package io.shardsim.simulator.run;

import io.shardsim.simulator.kernel.Causality;
import io.shardsim.simulator.kernel.Crossing;
import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.kernel.FastForward;
import io.shardsim.simulator.kernel.IslandReplay;
import io.shardsim.simulator.kernel.LocalExchange;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.kernel.Lookahead;
import io.shardsim.simulator.kernel.MarkBoard;
import io.shardsim.simulator.kernel.Neighbours;
import io.shardsim.simulator.kernel.WindowExchange;
import io.shardsim.simulator.protocol.ChunkCrossing;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Router;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.jspecify.annotations.Nullable;

/** Run that is ready to start: its devices, partitioned into logical processes, and the command for each of these. */
final class Assembly implements SimulationEngine.Parts {
    private final SimulationSetup setup;
    private final Cluster cluster;
    private final Router router;
    private final Placement placement;
    private final Partition partition;
    private final Devices devices;
    private final Paths paths;
    private final MarkBoard marks;
    private final Timeline timeline;
    private final RunWatch watch;
    private final @Nullable RunObserver observer;
    private volatile long eventsMax;

    /**
     * @param processesMax maximum number of logical processes. A run that skips time is not split: it must see the whole state at one instant.
     * @param observer observer of the whole run, which is then one logical process; or null
     */
    Assembly(SimulationSetup setup, int processesMax, @Nullable RunObserver observer) {
        this(setup, processesMax, observer, RunLimits.NONE);
    }

    Assembly(SimulationSetup setup, int processesMax, @Nullable RunObserver observer, RunLimits limits) {
        this.setup = setup;
        LongSupplier endMaxPs = limits.endMaxPs();
        marks = endMaxPs == null
                ? new MarkBoard(limits.eventsMax(), () -> Long.MAX_VALUE, new long[0])
                : new MarkBoard(limits.eventsMax(), endMaxPs, TimeLeft.ps(setup));
        this.observer = observer;
        cluster = setup.cluster();
        Limits.require("operations of a plan", setup.plan().size() + 1, EventOrder.OPERATIONS_MAX);
        Limits.require("devices of a node", cluster.devicesPerNode(), EventOrder.NODE_SLOTS_MAX);
        Limits.require("GPUs of a node", cluster.gpusPerNode(), EventOrder.LOCAL_RANKS_MAX);
        router = new Router(cluster);
        placement = new Placement(setup);
        Limits.requireHeap(
                (long) placement.simulatedNodes() * cluster.devicesPerNode(),
                Runtime.getRuntime().maxMemory());
        partition = new Partition(cluster, placement.nodes(), skipsInTime() || observer != null ? 1 : processesMax);
        timeline = new Timeline(setup.plan(), marks);
        watch = new RunWatch(timeline, observer);
        devices = new Devices(router, cluster, placement, observer);
        paths = new Paths(cluster, router, placement, devices);
    }

    private boolean skipsInTime() {
        return setup.fastForward();
    }

    @Override
    public int processes() {
        return partition.processes();
    }

    @Override
    public void spawn(int process, ActorContext<LogicalProcess.Command> context) {
        for (int node : partition.nodesOf(process)) {
            devices.spawn(node, setup, watch, context);
        }
    }

    @Override
    public List<LogicalProcess.Command> commands() {
        wire();
        if (observer != null) {
            observer.onAssembled(new RunView(setup, router, placement, devices, paths));
        }
        if (skipsInTime() || observer != null || partition.leaves() == 1) {
            FastForward fastForward = skipsInTime()
                    ? new FastForward(
                            new PlanPeriods(placement.plans()),
                            devices.states(),
                            watch,
                            observer == null ? () -> Long.MAX_VALUE : observer::chunksFromPs,
                            islands())
                    : null;
            Causality causality = observer == null ? null : observer.causality();
            if (fastForward != null && causality != null) {
                throw new IllegalStateException("a run that is followed must not skip repetition");
            }
            return List.of(new LogicalProcess.Command.RunAlone(() -> begin(0), fastForward, marks, causality));
        }
        return commands(LocalExchange.among(processes()));
    }

    /** Returns the replay of pipeline stages, which communicate seldom; null for one stage, or if everything must be observed. */
    private @Nullable IslandReplay islands() {
        if (setup.plan().stages() == 1 || placement.simulatedNodes() == 1 || observer != null) {
            return null;
        }
        int[] nodeOfDevice = new int[cluster.nodes() * cluster.devicesPerNode()];
        Arrays.setAll(nodeOfDevice, id -> id / cluster.devicesPerNode());
        return new IslandReplay(devices.states(), nodeOfDevice, timeline);
    }

    /** Returns the command for the logical process of an exchange. */
    LogicalProcess.Command command(WindowExchange exchange) {
        wire();
        return commands(List.of(exchange)).get(0);
    }

    private void wire() {
        Wiring wiring = new Wiring(setup, router, placement, paths);
        wiring.fill(devices);
        eventsMax = wiring.events();
    }

    private List<LogicalProcess.Command> commands(List<WindowExchange> exchanges) {
        Lookahead lookahead = new Lookahead(paths.outboundPsMin(), router.hopLatencyPs());
        Crossing crossing = new ChunkCrossing(paths.all());
        int[] leafOfDevice = new int[cluster.nodes() * cluster.devicesPerNode()];
        for (int id = 0; id < leafOfDevice.length; id++) {
            leafOfDevice[id] = partition.leafInProcess(id / cluster.devicesPerNode());
        }
        List<LogicalProcess.Command> commands = new ArrayList<>();
        for (WindowExchange exchange : exchanges) {
            commands.add(new LogicalProcess.Command.RunTogether(
                    () -> begin(exchange.self()),
                    new Neighbours(exchange, lookahead, crossing, partition.leavesOf(exchange.self()), leafOfDevice),
                    marks.pulse()));
        }
        return commands;
    }

    /** Cancels the run. */
    void abandon() {
        marks.pulse().abandon();
    }

    RunProgress progress() {
        return new RunProgress(marks.pulse().nowPs(), marks.pulse().events(), eventsMax);
    }

    private void begin(int process) {
        partition.nodesOf(process).forEach(devices::begin);
    }

    /** Returns the nodes of a logical process, ascending. */
    IntStream nodesOf(int process) {
        return partition.nodesOf(process).stream().mapToInt(Integer::intValue);
    }

    Cluster cluster() {
        return cluster;
    }

    Router router() {
        return router;
    }

    Devices devices() {
        return devices;
    }

    Timeline timeline() {
        return timeline;
    }
}
