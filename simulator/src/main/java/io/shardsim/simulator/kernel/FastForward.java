package io.shardsim.simulator.kernel;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Exact fast-forward: if the whole state, relative to now and to the position in the plan, equals the state some marks ago, and the plan keeps
 * repeating, whole periods are skipped and their totals multiplied.
 *
 * <p>The state holds all pending events, ports, streams and running collectives; time is integer, handlers are deterministic, and the order of events
 * advances evenly with the plan. So equal relative states have equal futures as long as the plan reads the same, and skipping is exact to the
 * picosecond. Nothing is assumed to repeat: if a straggler, a fault or a boundary of the plan breaks the symmetry, states differ and every event is
 * executed.
 */
public final class FastForward {
    /**
     * Number of marks that a state is compared with. A max-plus system may settle into a period of several layers, a pipeline into one of as many
     * micro-batches as stages.
     */
    private static final int HISTORY = 24;

    private final PeriodicPlan plan;
    private final List<? extends DeviceState> devices;
    private final @Nullable SkipObserver observer;
    private final StateWriter writer = new StateWriter();
    private final List<Deque<Snapshot>> histories = List.of(new ArrayDeque<>(), new ArrayDeque<>());
    private final LoopForward loops;
    private final @Nullable IslandReplay islands;

    /** Observer of skipped periods. */
    public interface SkipObserver {
        /**
         * Called when the span (fromPs, toPs] of virtual time, which covers deltaOperations operations of the plan, is repeated a number of times.
         */
        void onPeriodsSkipped(long fromPs, long toPs, int deltaOperations, int times);
    }

    private record Snapshot(int mark, long timePs, long[] state, Totals totals) {}

    /**
     * @param devices all devices of the logical process, in order of their IDs
     * @param seenFromPs instant from which no event within an operation may be skipped [ps]
     * @param islands skips repetition within one island; null without islands
     */
    public FastForward(
            PeriodicPlan plan,
            List<? extends DeviceState> devices,
            @Nullable SkipObserver observer,
            LongSupplier seenFromPs,
            @Nullable IslandReplay islands) {
        this.islands = islands;
        this.plan = plan;
        this.devices = devices;
        this.observer = observer;
        loops = new LoopForward(devices, seenFromPs);
    }

    @Nullable
    IslandReplay islands() {
        return islands;
    }

    /** Looks for repetition within an operation, at the start of one of its rounds, and skips what it can. */
    void onRepetition(int operation, long nowPs, long executedEvents, FutureEventList events) {
        loops.onRepetition(operation, nowPs, executedEvents, events);
    }

    /** Looks for a period that ends at this mark, and skips what it can. */
    void onMark(int mark, long nowPs, FutureEventList events) {
        Deque<Snapshot> history = histories.get(plan.level(mark));
        PlaceInPlan place = new PlaceInPlan();
        devices.forEach(device -> device.tellPlace(place));
        if (islands != null) {
            islands.tellPlace(place);
        }
        if (!mayRepeat(place, mark)) {
            history.clear();
            return;
        }
        Snapshot now = snapshot(mark, nowPs, events);
        for (Snapshot earlier : history) {
            int period = plan.segmentsFrom(earlier.mark(), mark);
            int times = place.repetitionsAhead(plan, mark, period) / period;
            if (times >= 1 && Arrays.equals(earlier.state(), now.state())) {
                skip(earlier, now, times, events);
                // Segments of coarser levels continue: the skipped time is part of them.
                histories.subList(0, plan.level(mark) + 1).forEach(Deque::clear);
                return;
            }
        }
        history.addFirst(now);
        if (history.size() > HISTORY) {
            history.removeLast();
        }
    }

    /** Returns whether the plan repeats with some period, so that this state is worth storing. */
    private boolean mayRepeat(PlaceInPlan place, int mark) {
        for (int period = 1; period <= HISTORY; period++) {
            if (place.repetitionsAhead(plan, mark, period) >= period) {
                return true;
            }
        }
        return false;
    }

    private Snapshot snapshot(int mark, long nowPs, FutureEventList events) {
        writer.begin(nowPs, events.earliestPs(nowPs), plan.operationBefore(mark), plan.positionsBefore(mark));
        events.save(writer);
        devices.forEach(device -> device.save(writer));
        if (islands != null) {
            islands.save(writer);
        }
        return new Snapshot(mark, nowPs, writer.toArray(), Totals.of(devices));
    }

    private void skip(Snapshot from, Snapshot to, int times, FutureEventList events) {
        long deltaPs = Math.multiplyExact(to.timePs() - from.timePs(), (long) times);
        int deltaOperations = (plan.operationBefore(to.mark()) - plan.operationBefore(from.mark())) * times;
        int[] before = plan.positionsBefore(from.mark());
        int[] after = plan.positionsBefore(to.mark());
        int[] deltaPositions = new int[before.length];
        for (int stream = 0; stream < before.length; stream++) {
            deltaPositions[stream] = (after[stream] - before[stream]) * times;
        }
        to.totals().addGrowth(from.totals(), times, devices);
        devices.forEach(device -> device.shift(deltaPs, deltaOperations, deltaPositions));
        Map<VirtualTimeMessage, VirtualTimeMessage> moved = islands == null ? Map.of() : islands.pendingOfLeaps();
        events.shift(deltaPs, deltaOperations, moved);
        if (islands != null) {
            islands.shift(deltaPs, deltaOperations, deltaPositions, moved);
        }
        if (observer != null) {
            observer.onPeriodsSkipped(
                    from.timePs(),
                    to.timePs(),
                    plan.operationBefore(to.mark()) - plan.operationBefore(from.mark()),
                    times);
        }
    }
}
