package io.shardsim.simulator.run;

import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.kernel.Causality;
import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.kernel.VirtualTimeMessage;
import io.shardsim.simulator.observation.CriticalPath;
import io.shardsim.simulator.observation.CriticalPath.Segment;
import io.shardsim.simulator.observation.CriticalPath.Waiting;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.protocol.Chunk;
import io.shardsim.simulator.protocol.GpuEvent;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.LinkClass;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the critical path of a run that executes every event. Each event records the one that sent it. An event with several dependencies is
 * triggered by the last of them, so the chain back from the last end is the critical path.
 *
 * <p>Events without pending descendants are garbage-collected. A recorder serves one run.
 *
 * <p>Leaves out why a kernel on another stream waits for the running compute kernel: that counts as launch.
 */
public final class CriticalPathRecorder implements RunObserver, Causality {
    /** Placeholder for an instant that does not apply. */
    private static final long NEVER = -1;

    /**
     * Booking of a transmission [ps].
     *
     * @param headPs when its first bit arrives at the port
     * @param startPs when it begins
     * @param tailPs when its last bit arrives at the port, if that delays it; else {@link #NEVER}
     */
    private record Booked(long headPs, long startPs, long tailPs) {}

    /**
     * Message in flight or delivered.
     *
     * @param cause message whose handling sent it; null for the first
     * @param booked booking of the transmission; null without a port
     */
    private record Sent(
            @Nullable Sent cause,
            VirtualTimeMessage message,
            @Nullable Booked booked) {
        long causePs() {
            return cause == null ? 0 : cause.message.timePs();
        }
    }

    private final long eventsMax;
    private volatile boolean stopped;
    private long events;
    private @Nullable RunView run;
    private @Nullable Sent current;
    /** End of the operation that ended last. */
    private @Nullable Sent last;

    private long lastPs = NEVER;
    /** Booking of the chunk that is booked but not yet sent. */
    private @Nullable Booked booked;

    /** @param eventsMax events after which the run is aborted */
    public CriticalPathRecorder(long eventsMax) {
        this.eventsMax = eventsMax;
    }

    /** Aborts the run at its next event. Callable from any thread. */
    public void stop() {
        stopped = true;
    }

    @Override
    public Causality causality() {
        return this;
    }

    @Override
    public void onAssembled(RunView assembled) {
        run = assembled;
    }

    @Override
    public Object onSent(VirtualTimeMessage message) {
        Sent sent = new Sent(current, message, booked);
        booked = null;
        return sent;
    }

    @Override
    public void onDelivered(Object sent) {
        current = (Sent) sent;
        if (stopped) {
            throw new CancellationException("the run was abandoned");
        }
        if (++events > eventsMax) {
            throw new TooLargeException("more than " + eventsMax + " events, each of which must be executed");
        }
    }

    @Override
    public void onBooked(
            Path path, int hop, long order, long headPs, long tailPs, long startPs, long leavePs, long bytes) {
        booked = new Booked(headPs, startPs, leavePs == tailPs ? tailPs : NEVER);
    }

    @Override
    public void onOperationEnded(int rank, int operation, long startPs, long endPs) {
        if (endPs > lastPs) {
            lastPs = endPs;
            last = current;
        }
    }

    @Override
    public void onMarkReached(long nowPs) {
        // Nothing is skipped.
    }

    @Override
    public void onPeriodsSkipped(long fromPs, long toPs, int deltaOperations, int times) {
        throw new IllegalStateException("time was skipped from " + fromPs + " ps on");
    }

    /**
     * Returns the path, once the run has ended.
     *
     * @param endPs when the last rank finished [ps]
     */
    public CriticalPath finish(long endPs) {
        List<Segment> backwards = new ArrayList<>();
        Sent sent = last;
        long untilPs = endPs;
        while (sent != null) {
            untilPs = sent.message instanceof Chunk chunk
                    ? addChunk(sent, chunk, untilPs, backwards)
                    : addEvent(sent, (GpuEvent) sent.message, untilPs, backwards);
            sent = sent.cause;
        }
        Collections.reverse(backwards);
        CriticalPath path = new CriticalPath(endPs, merged(backwards));
        run = null;
        current = null;
        last = null;
        return path;
    }

    /** Adds the segments before an instant and returns the instant of the cause [ps]. */
    private long addEvent(Sent sent, GpuEvent event, long untilPs, List<Segment> backwards) {
        if (untilPs > sent.causePs()) {
            int operation = EventOrder.operation(event.order());
            add(
                    segment(sent.causePs(), untilPs, waiting(event, operation), operation, event.deviceId(), null),
                    backwards);
        }
        return sent.causePs();
    }

    private Waiting waiting(GpuEvent event, int operation) {
        int eventClass = EventOrder.eventClass(event.order());
        Operation what = view().stepPlan().operation(operation);
        if (eventClass == EventOrder.LAUNCH) {
            return Waiting.LAUNCH;
        }
        if (eventClass == EventOrder.CHANNEL || what instanceof Operation.Collective) {
            return Waiting.THREAD_BLOCK;
        }
        if (what.stream() == Stream.COMPUTE) {
            return EventOrder.receiveSlot(event.order()) == 0 ? Waiting.KERNEL : Waiting.INTERFERENCE;
        }
        Work.Kind kind = ((Operation.Compute) what).work().kind();
        return kind.isHostCopy() ? Waiting.THREAD_BLOCK : kind == Work.Kind.HOST_TIME ? Waiting.HOST : Waiting.COPY;
    }

    /**
     * Adds the segments of a hop, from last to first: in flight, queued at the port, held back by the thread block. Devices cut through: a port
     * slower than the upstream link waited for the first bit, a faster one for the last.
     */
    private long addChunk(Sent sent, Chunk chunk, long untilPs, List<Segment> backwards) {
        int operation = EventOrder.operation(chunk.order());
        int device = chunk.sourceId();
        Booked times = sent.booked;
        if (times == null) {
            add(segment(sent.causePs(), untilPs, Waiting.LAUNCH, operation, device, null), backwards);
            return sent.causePs();
        }
        LinkClass link = view().link(device, chunk.path().stop(chunk.hop() - 1).port());
        long herePs = times.headPs;
        if (untilPs == chunk.timePs() && times.tailPs != NEVER) {
            herePs = times.tailPs;
            add(segment(herePs, untilPs, Waiting.LINK, operation, device, link), backwards);
        } else {
            add(segment(times.startPs, untilPs, Waiting.LINK, operation, device, link), backwards);
            add(segment(herePs, times.startPs, Waiting.QUEUE, operation, device, link), backwards);
        }
        if (chunk.hop() > 1) {
            return herePs;
        }
        add(segment(sent.causePs(), herePs, Waiting.THREAD_BLOCK, operation, device, null), backwards);
        return sent.causePs();
    }

    private static void add(Segment segment, List<Segment> backwards) {
        if (segment.ps() > 0) {
            backwards.add(segment);
        }
    }

    private Segment segment(
            long startPs, long endPs, Waiting waiting, int operation, int device, @Nullable LinkClass link) {
        return new Segment(
                startPs, endPs, waiting, operation, view().stepPlan().operation(operation), rank(device), link);
    }

    /** Returns the rank of a GPU, or for another device the first rank of its node. */
    private int rank(int device) {
        Cluster cluster = view().cluster();
        int slot = device % cluster.devicesPerNode();
        return cluster.rank(device / cluster.devicesPerNode(), slot < cluster.gpusPerNode() ? slot : 0);
    }

    private static List<Segment> merged(List<Segment> segments) {
        List<Segment> merged = new ArrayList<>();
        for (Segment segment : segments) {
            int end = merged.size() - 1;
            if (end >= 0 && segment.continues(merged.get(end))) {
                Segment before = merged.get(end);
                merged.set(
                        end,
                        new Segment(
                                before.startPs(),
                                segment.endPs(),
                                segment.waiting(),
                                segment.operation(),
                                segment.what(),
                                segment.rank(),
                                segment.link()));
            } else {
                merged.add(segment);
            }
        }
        return merged;
    }

    private RunView view() {
        return Objects.requireNonNull(run, "nothing runs yet");
    }
}
