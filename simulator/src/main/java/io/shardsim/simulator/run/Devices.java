package io.shardsim.simulator.run;

import io.shardsim.simulator.device.GpuDevice;
import io.shardsim.simulator.device.GpuState;
import io.shardsim.simulator.device.NicDevice;
import io.shardsim.simulator.device.PortBank;
import io.shardsim.simulator.device.PortObserver;
import io.shardsim.simulator.device.RankCollective;
import io.shardsim.simulator.device.RankPlan;
import io.shardsim.simulator.device.SwitchDevice;
import io.shardsim.simulator.kernel.DeviceState;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.protocol.DeviceMessage;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Link;
import io.shardsim.topology.Router;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.jspecify.annotations.Nullable;

/** Simulated devices: their states, ports and actors. A device that is not simulated maps to its representative. */
final class Devices {
    /** Characters that names of device actors must not contain. */
    private static final String ACTOR_NAME_UNSAFE = "[\\[\\].]+";

    private final Cluster cluster;
    private final Router router;
    private final Placement placement;
    /** State of each simulated device, by its ID; null elsewhere. */
    private final DeviceState[] states;

    private final PortBank[] banks;
    private final ActorRef<DeviceMessage>[] actors;
    private final Map<Integer, Program> programs = new TreeMap<>();

    /** Programs of a simulated rank for each class of collectives and host copies; filled once all actors exist. */
    private record Program(RankCollective[] collectives, RankCollective[] hostCopies) {}

    @SuppressWarnings({"unchecked", "rawtypes"}) // A generic array cannot be created otherwise.
    Devices(Router router, Cluster cluster, Placement placement, @Nullable RunObserver observer) {
        this.cluster = cluster;
        this.router = router;
        this.placement = placement;
        int devices = cluster.nodes() * cluster.devicesPerNode();
        states = new DeviceState[devices];
        banks = new PortBank[devices];
        actors = new ActorRef[devices];
        for (int node = 0; node < cluster.nodes(); node++) {
            if (placement.nodes().isSimulated(node)) {
                create(node, observer);
            }
        }
    }

    private void create(int node, @Nullable RunObserver observer) {
        PortObserver ports = observer != null && observer.chunksFromPs() < Long.MAX_VALUE ? observer : null;
        for (int slot = 0; slot < cluster.devicesPerNode(); slot++) {
            int id = cluster.deviceId(node, slot);
            banks[id] = new PortBank(id, links(node, slot), ports);
            states[id] = banks[id];
            if (slot < cluster.gpusPerNode()) {
                int rank = cluster.rank(node, slot);
                RankPlan plan = placement.planOf(rank);
                states[id] = new GpuState(
                        rank, plan, banks[id], cluster.instance().gpu().smCount());
                programs.put(
                        rank,
                        new Program(
                                new RankCollective[plan.collectives().size()],
                                new RankCollective[plan.hostCopies().size()]));
            }
        }
    }

    private List<Link> links(int node, int slot) {
        List<Link> links = new ArrayList<>();
        for (int port = 0; port < router.portCount(slot); port++) {
            links.add(router.link(node, slot, port));
        }
        return links;
    }

    /** Creates the actors of a node. */
    void spawn(int node, SimulationSetup setup, RunWatch watch, ActorContext<LogicalProcess.Command> context) {
        for (int slot = 0; slot < cluster.devicesPerNode(); slot++) {
            int id = cluster.deviceId(node, slot);
            String name = cluster.devicePath(id).replaceAll(ACTOR_NAME_UNSAFE, "-");
            actors[id] = context.spawn(behavior(id, slot, setup, watch), name, DispatcherSelector.sameAsParent());
        }
    }

    private Behavior<DeviceMessage> behavior(int id, int slot, SimulationSetup setup, RunWatch watch) {
        if (states[id] instanceof GpuState gpu) {
            Program program = Objects.requireNonNull(programs.get(gpu.rank()));
            return GpuDevice.create(
                    new GpuDevice.GpuSpecification(
                            program.collectives(),
                            program.hostCopies(),
                            setup.durationPerMille().getOrDefault(gpu.rank(), 1000L),
                            watch.gpu(gpu.rank())),
                    gpu);
        }
        return isNic(slot) ? NicDevice.create(banks[id]) : SwitchDevice.create(banks[id]);
    }

    private boolean isNic(int slot) {
        return slot >= cluster.nicSlot(0) && slot < cluster.fabricSlot();
    }

    /** Starts the GPUs of a node. */
    void begin(int node) {
        for (int local = 0; local < cluster.gpusPerNode(); local++) {
            int id = cluster.deviceId(node, cluster.gpuSlot(local));
            actor(id).tell(GpuDevice.beginning(id));
        }
    }

    /** Passes the program array of each simulated rank's collectives, in rank order. */
    void forEachCollectives(BiConsumer<Integer, RankCollective[]> action) {
        programs.forEach((rank, program) -> action.accept(rank, program.collectives()));
    }

    /** Passes the program array of each simulated rank's host copies, in rank order. */
    void forEachHostCopies(BiConsumer<Integer, RankCollective[]> action) {
        programs.forEach((rank, program) -> action.accept(rank, program.hostCopies()));
    }

    /** Returns the simulated ranks, ascending. */
    Iterable<Integer> ranks() {
        return programs.keySet();
    }

    List<DeviceState> states() {
        return Arrays.stream(states).filter(Objects::nonNull).toList();
    }

    /** Returns the state of the GPU that represents a rank. */
    GpuState gpu(int rank) {
        return (GpuState) Objects.requireNonNull(states[placement.simulatedGpu(rank)]);
    }

    /** Returns the ports of the device that represents a device. */
    PortBank ports(int deviceId) {
        return Objects.requireNonNull(banks[placement.simulated(deviceId)]);
    }

    ActorRef<DeviceMessage> actor(int deviceId) {
        return Objects.requireNonNull(actors[placement.simulated(deviceId)], () -> cluster.devicePath(deviceId));
    }
}
