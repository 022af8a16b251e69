package io.shardsim.simulator.device;

import static io.shardsim.simulator.device.GpuState.COMPUTE;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.protocol.Chunk;
import io.shardsim.simulator.protocol.DeviceMessage;
import io.shardsim.simulator.protocol.GpuEvent;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.topology.Router;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.jspecify.annotations.Nullable;

/**
 * A GPU: runs the plan's operations stream by stream, and the thread blocks of collectives slice by slice as NCCL's device code does (NCCL,
 * src/device/primitives.h, prims_simple.h).
 *
 * <p>A thread block waits for its slice, then copies or reduces it at its own rate while sending it over NVLink; a slice for a NIC is staged first
 * and sent when complete. Each slice costs the running compute kernel the block's share of the SMs, and some memory time. Its first slice waits until
 * the running compute kernel has been fully scheduled on every rank.
 *
 * <p>Leaves out the eight buffer slots between neighbours: a slow receiver never blocks a sender.
 */
public final class GpuDevice extends Device {
    /** Bytes that a warp copies or reduces at once: 16 in each of 32 lanes (NCCL, src/device/common_kernel.h) [bytes]. */
    private static final long WARP_BYTES = 512;

    /** Streams whose collectives are issued ahead of kernels. */
    private static final boolean[] GOES_AHEAD = goesAhead();

    private final GpuSpecification specification;
    private final GpuState state;
    private final ActorRef<DeviceMessage> self;
    /** Stream whose completion triggered the current event: state within one event. */
    private int cause;

    /**
     * Parameters of a GPU.
     *
     * @param collectives programs by collective class of the plan
     * @param hostCopies programs by class of copies between this GPU and host memory
     * @param durationPerMille compute time relative to full speed, in thousandths; above 1000 for a straggler
     * @param observer observer of operations, or null
     */
    public record GpuSpecification(
            RankCollective[] collectives,
            RankCollective[] hostCopies,
            long durationPerMille,
            @Nullable GpuObserver observer) {}

    private GpuDevice(ActorContext<DeviceMessage> context, GpuSpecification specification, GpuState state) {
        this.specification = specification;
        this.state = state;
        self = context.getSelf();
    }

    private static boolean[] goesAhead() {
        boolean[] goes = new boolean[RankPlan.STREAMS];
        for (Stream stream : Stream.values()) {
            goes[stream.ordinal()] = stream.goesAheadOfKernels();
        }
        return goes;
    }

    public static Behavior<DeviceMessage> create(GpuSpecification specification, GpuState state) {
        return Behaviors.setup(context -> new GpuDevice(context, specification, state));
    }

    /** Returns the event that starts a GPU at the beginning of a run. */
    public static GpuEvent beginning(int deviceId) {
        return new GpuEvent(0, EventOrder.of(EventOrder.LAUNCH, EventOrder.OPERATIONS_MAX - 1, 0, 0, 0, 0), deviceId);
    }

    @Override
    Behavior<DeviceMessage> onChunkArrived(Chunk chunk) {
        long order = chunk.order();
        int channel = EventOrder.channel(order);
        if (chunk.path().stop(0).port() != Router.NO_PORT) {
            state.addReceived(chunk.bytes());
        }
        CollectiveRun run = runOf(EventOrder.operation(order));
        state.onSliceArrived(run);
        run.onSliceArrived(channel, EventOrder.receiveSlot(order));
        if (run.joined) {
            advance(run, channel, chunk.timePs());
            endIfDone(run, chunk.timePs());
        }
        return this;
    }

    @Override
    Behavior<DeviceMessage> onEvent(GpuEvent event) {
        state.countOwnEvent();
        int operation = EventOrder.operation(event.order());
        switch (EventOrder.eventClass(event.order())) {
            case EventOrder.CHANNEL -> onBlockFree(operation, EventOrder.channel(event.order()), event.timePs());
            case EventOrder.KERNEL -> onKernelEnded(operation, event.timePs());
            default -> onLaunched(operation, event.timePs());
        }
        return this;
    }

    /** Starts a collective's kernel, or the run. */
    private void onLaunched(int operation, long nowPs) {
        if (operation == EventOrder.OPERATIONS_MAX - 1) {
            cause = COMPUTE;
            startReady(nowPs);
            return;
        }
        CollectiveRun run = runOf(operation);
        run.joined = true;
        for (int channel = 0; channel < run.collective.channels(); channel++) {
            advance(run, channel, nowPs);
        }
        endIfDone(run, nowPs);
    }

    private void onBlockFree(int operation, int channel, long nowPs) {
        CollectiveRun run = runOf(operation);
        run.onWoken(channel);
        advance(run, channel, nowPs);
        endIfDone(run, nowPs);
    }

    private void onKernelEnded(int operation, long nowPs) {
        boolean onLane =
                streamOf(operation) == COMPUTE && state.plan.collectiveClass(operation) == RankPlan.NO_COLLECTIVE;
        if (onLane && !state.lane.end()) {
            tellKernelEnd(operation);
        } else {
            onOperationEnded(operation, nowPs);
        }
    }

    /** Executes primitives of one channel until it is done, lacks a slice, or its thread block is busy. */
    private void advance(CollectiveRun run, int channel, long nowPs) {
        while (!run.isDone(channel)) {
            Primitive current = run.current(channel);
            if (!run.hasInput(channel, current)) {
                return;
            }
            long freePs = run.blockFreePs(channel);
            if (freePs > nowPs) {
                if (run.armWake(channel)) {
                    tellSelf(freePs, EventOrder.of(EventOrder.CHANNEL, run.operation, channel, 0, 0, 0));
                }
                return;
            }
            execute(run, channel, current, nowPs);
        }
    }

    private void execute(CollectiveRun run, int channel, Primitive current, long nowPs) {
        Transport transport = run.collective.transport();
        long bytes = run.sliceBytes(channel, current);
        long warps = (bytes + WARP_BYTES - 1) / WARP_BYTES;
        long freePs = nowPs + transport.rate(current).serializationPs(warps * WARP_BYTES);
        if (current.sendSlot() != ChannelProgram.NONE) {
            send(run, channel, current.sendSlot(), transport.wireBytes(bytes), nowPs, freePs);
        }
        if (state.lane.isRunning()) {
            state.lane.onMultiprocessorsHeld(run.collective.heldPs(channel, current, bytes));
            state.lane.onMemoryBusy(run.collective.memoryPs(current, bytes));
            state.lane.onCacheBusy(run.collective.cachePs(current, bytes));
        }
        boolean whole = run.completeSlice(channel, current, freePs);
        if (whole && channel == 0 && specification.observer() != null && run.beginsAgain(channel)) {
            specification.observer().onRepetition(run.operation);
        }
    }

    /** Sends a slice while the block copies it; towards a NIC, once it is staged. */
    private void send(CollectiveRun run, int channel, int sendSlot, long wireBytes, long beginPs, long endPs) {
        ChannelProgram program = run.collective.programs()[channel];
        Path path = run.collective.paths()[channel][sendSlot];
        int port = path.stop(0).port();
        if (port == Router.NO_PORT) {
            ask(run, path, wireBytes, beginPs);
            return;
        }
        boolean staged = port == Router.GPU_PCIE_PORT;
        long order = EventOrder.of(
                EventOrder.CHUNK,
                run.operation,
                channel,
                program.sendPeerSlots()[sendSlot],
                0,
                path.destinationLocalRank());
        state.ports.transmit(path, 0, order, staged ? endPs : beginPs, endPs, wireBytes);
    }

    /** Requests a chunk from the host. */
    private void ask(CollectiveRun run, Path path, long bytes, long nowPs) {
        long order = EventOrder.of(
                EventOrder.CHUNK, run.operation, 0, 0, path.stop(0).nodeSlot(), path.destinationLocalRank());
        state.countOwnEvent();
        path.stop(1).actor().tell(new Chunk(nowPs + 1, order, nowPs + 1, path, 1, bytes));
    }

    private void endIfDone(CollectiveRun run, long nowPs) {
        if (run.channelsLeft > 0) {
            return;
        }
        if (run.donePs > nowPs) {
            run.channelsLeft = Integer.MAX_VALUE;
            tellSelf(run.donePs, EventOrder.of(EventOrder.KERNEL, run.operation, 0, 0, 0, 0));
        } else {
            onOperationEnded(run.operation, nowPs);
        }
    }

    private void onOperationEnded(int operation, long nowPs) {
        cause = streamOf(operation);
        end(operation, nowPs);
        if (state.hasComputedAll()) {
            expose(nowPs);
        }
        startReady(nowPs);
    }

    /** Completes an operation and removes it from its stream. */
    private void end(int operation, long nowPs) {
        int stream = streamOf(operation);
        long tookPs = nowPs - state.startedPs[stream];
        state.running[stream] = false;
        state.done[stream]++;
        state.addBusy(stream, tookPs);
        state.finishPs = nowPs;
        if (stream == COMPUTE) {
            state.computeIdleSincePs = nowPs;
        }
        boolean travels = state.plan.collectiveClass(operation) != RankPlan.NO_COLLECTIVE
                || state.plan.hostCopyClass(operation) != RankPlan.NO_COLLECTIVE;
        if (travels) {
            state.runs.remove(runOf(operation));
        }
        if (stream == COMPUTE && state.plan.plan().operation(operation) instanceof Operation.Compute compute) {
            state.addWork(compute.work().kind(), travels ? tookPs : workPs(operation), tookPs);
        }
        if (specification.observer() != null) {
            specification.observer().onOperationEnded(operation, nowPs - tookPs, nowPs);
        }
    }

    /** Starts every operation that is ready, until none is. */
    private void startReady(long nowPs) {
        boolean started = true;
        while (started) {
            started = false;
            for (int stream = 0; stream < RankPlan.STREAMS; stream++) {
                while (state.isReady(stream)) {
                    start(stream, nowPs);
                    started = true;
                }
            }
        }
    }

    /**
     * Attributes idle time of the compute stream to the stream whose completion triggered this event: when compute starts, and when a collective
     * starts that compute waits for, so that the collective is not charged for its own wait, for example on another stage.
     */
    private void expose(long nowPs) {
        state.addExposed(cause, nowPs - state.computeIdleSincePs);
        if (specification.observer() != null && nowPs > state.computeIdleSincePs) {
            specification.observer().onExposed(cause, state.computeIdleSincePs, nowPs);
        }
        state.computeIdleSincePs = nowPs;
    }

    private void start(int stream, long nowPs) {
        int position = state.done[stream];
        int operation = state.plan.operation(stream, position);
        state.running[stream] = true;
        state.startedPs[stream] = nowPs;
        if (stream != cause) {
            state.waited[stream] = state.waited[cause];
        }
        if (stream == COMPUTE || GOES_AHEAD[stream] && !state.running[COMPUTE] && !state.hasComputedAll()) {
            expose(nowPs);
        }
        int[] marks = state.plan.marksAtStart(stream, position);
        if (marks.length > 0 && specification.observer() != null) {
            specification.observer().onMarksReached(marks, nowPs);
        }
        if (state.plan.collectiveClass(operation) == RankPlan.NO_COLLECTIVE
                && state.plan.hostCopyClass(operation) == RankPlan.NO_COLLECTIVE) {
            startCompute(stream, operation, nowPs);
        } else {
            startCollective(operation, nowPs);
        }
    }

    private void startCompute(int stream, int operation, long nowPs) {
        long workPs = workPs(operation);
        if (workPs == 0) {
            end(operation, nowPs);
        } else if (stream == COMPUTE) {
            state.lane.start(
                    nowPs, workPs, state.plan.memoryPerMille(operation), state.plan.productsPerMille(operation));
            tellKernelEnd(operation);
        } else {
            long perMille = state.plan.memoryPerMille(operation);
            state.lane.onKernelBeside(workPs, perMille);
            long waitPs = perMille > 0 ? waitPs(1, 1, nowPs) : 0;
            if (waitPs > 0) {
                state.waited[stream]++;
            }
            tellSelf(nowPs + waitPs + workPs, EventOrder.of(EventOrder.KERNEL, operation, 0, 0, 0, 0));
        }
    }

    private void startCollective(int operation, long nowPs) {
        CollectiveRun run = runOf(operation);
        long launchPs = run.collective.transport().basePs();
        if (state.plan.plan().operation(operation) instanceof Operation.Collective collective) {
            int stream = collective.stream().ordinal();
            launchPs += collective.stream().goesAheadOfKernels()
                    ? 0
                    : waitPs(collective.groups().size(), state.waited[stream] + 1, nowPs);
            state.waited[stream] = 0;
        }
        tellSelf(nowPs + Math.max(1, launchPs), EventOrder.of(EventOrder.LAUNCH, operation, 0, 0, 0, 0));
    }

    /**
     * Returns how long a kernel launched now on another stream of these ranks waits for the running compute kernel [ps]. Does not apply to
     * collectives issued ahead of kernels, or to copies to and from host memory.
     *
     * @param kernels kernels that have waited on each rank since the last synchronization of the ranks, in a chain, this one included: the mean of
     *     the earlier ones is already paid; the slowest rank's excess over the mean grows with sqrt(kernels), as for independent waits
     */
    private long waitPs(int ranks, int kernels, long nowPs) {
        if (!state.lane.isRunning()) {
            return 0;
        }
        int running = state.plan.operation(COMPUTE, state.done[COMPUTE]);
        long averagePs = state.plan.waitPs(running, 1);
        double beyondPs = StrictMath.sqrt(kernels) * (state.plan.waitPs(running, ranks) - averagePs);
        return Math.min(averagePs + (long) beyondPs, Math.max(0, state.lane.endPs() - nowPs));
    }

    private CollectiveRun runOf(int operation) {
        CollectiveRun run = state.run(operation);
        if (run == null) {
            int hostCopy = state.plan.hostCopyClass(operation);
            int collectiveClass = state.plan.collectiveClass(operation);
            run = hostCopy == RankPlan.NO_COLLECTIVE
                    ? new CollectiveRun(
                            operation, collectiveClass, specification.collectives()[collectiveClass])
                    : new CollectiveRun(operation, hostCopy, specification.hostCopies()[hostCopy]);
            state.runs.add(run);
        }
        return run;
    }

    private long workPs(int operation) {
        return Math.multiplyExact(state.plan.durationPs(operation), specification.durationPerMille()) / 1000;
    }

    private int streamOf(int operation) {
        return state.plan.plan().operation(operation).stream().ordinal();
    }

    private void tellKernelEnd(int operation) {
        tellSelf(state.lane.endPs(), EventOrder.of(EventOrder.KERNEL, operation, 0, state.lane.extensions(), 0, 0));
    }

    private void tellSelf(long timePs, long order) {
        self.tell(new GpuEvent(timePs, order, state.deviceId()));
    }
}
