package io.shardsim.simulator.kernel;

import io.shardsim.simulator.kernel.DeviceState.Memory;
import io.shardsim.simulator.kernel.FutureEventList.Pending;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Exact fast-forward of islands: groups of nodes that exchange no messages for long stretches, such as different pipeline stages. Together they never
 * reach the same state twice, but each island does, layer by layer and micro-batch by micro-batch.
 *
 * <p>An island's activity between two instants is recorded. If its state relative to now equals the state at the first instant, and the plan reads
 * the same from here, the island jumps to its state at the second: it runs ahead of the others. If another island sends it a message earlier, it
 * rolls back and executes every event until then. So skipping is exact to the picosecond.
 *
 * <p>Nothing is recorded while messages cross between islands.
 */
public final class IslandReplay {
    /** Minimum events of a stretch; fewer are cheaper to execute than to look up. */
    private static final int EVENTS_MIN = 400;
    /** Bound on the size of all stored states [longs]. */
    private static final long VALUES_MAX = 4 << 20;

    private static final long NOT_AHEAD = Long.MIN_VALUE;

    private final int[] islandOfDevice;
    /** Islands by index; null for nodes that are not simulated. */
    private final Island[] islands;

    private final Spans spans;
    private final StateWriter writer = new StateWriter();
    private long valuesKept;
    private int stretchesKept;

    /** Recorded timeline of the first device of the first island, in order. */
    public interface Spans {
        int size();

        /** Appends part of the list again, later in time. */
        void repeat(int from, int to, long deltaPs, int deltaOperations);

        /** Truncates the list. */
        void keep(int size);
    }

    /** Snapshot of an island; the current event is among the pending ones. */
    private record Instant(
            long ps, int operation, List<Memory> memories, List<Pending> pending, Totals totals, int spans) {
        /** Returns whether chunks are on their way. */
        boolean isExchanging() {
            return pending.stream()
                    .anyMatch(event -> EventOrder.eventClass(event.message().order()) == EventOrder.CHUNK);
        }

        Instant shifted(long deltaPs, int deltaOperations, int[] deltaPositions) {
            return new Instant(
                    ps + deltaPs,
                    operation + deltaOperations,
                    memories.stream()
                            .map(memory -> memory.shifted(deltaPs, deltaOperations, deltaPositions))
                            .toList(),
                    pending.stream()
                            .map(event -> event.shifted(deltaPs, deltaOperations))
                            .toList(),
                    totals,
                    spans);
        }
    }

    /** Activity of an island between two instants, starting from a comparable state. */
    private record Stretch(int number, long[] state, Instant from, Instant to) {
        long lengthPs() {
            return to.ps() - from.ps();
        }
    }

    /** Stretch being recorded. */
    private record Begun(long[] state, Instant from, long events) {}

    /**
     * Stretch that an island has jumped over, with the instant to roll back to.
     *
     * @param place position in the plan at that instant
     * @param pending events that are pending instead
     */
    private record Leap(Instant from, PlaceInPlan place, int placed, Stretch stretch, List<Pending> pending) {
        long untilPs() {
            return from.ps() + stretch.lengthPs();
        }
    }

    private static final class Island {
        final int index;
        final List<DeviceState> devices = new ArrayList<>();
        final Map<Integer, List<Stretch>> stretches = new HashMap<>();
        /** Receiver of the first collective's start: it triggers the comparisons. */
        int lead = -1;

        long events;

        @Nullable
        Begun begun;

        @Nullable
        Leap leap;
        /** Time at which other islands are expected to send something; no jump may pass it [ps]. */
        long expectedPs = NOT_AHEAD;

        Island(int index) {
            this.index = index;
        }
    }

    /**
     * @param devices all devices of the logical process
     * @param islandOfDevice island by device ID; messages between islands should be rare
     */
    public IslandReplay(List<? extends DeviceState> devices, int[] islandOfDevice, Spans spans) {
        this.islandOfDevice = islandOfDevice;
        this.spans = spans;
        islands = new Island[Arrays.stream(islandOfDevice).max().orElse(-1) + 1];
        for (DeviceState device : devices) {
            int island = islandOfDevice[device.deviceId()];
            if (islands[island] == null) {
                islands[island] = new Island(island);
            }
            islands[island].devices.add(device);
        }
    }

    /** Handles a message that is sent: between islands, it interrupts the recording of both. The receiver may end a stretch before it arrives. */
    void onSent(VirtualTimeMessage message) {
        int from = islandOfDevice[message.sourceId()];
        int to = islandOfDevice[message.receiverId()];
        if (from != to) {
            islands[from].begun = null;
            islands[to].begun = null;
        }
    }

    /** Returns whether a popped event must not be executed now. */
    boolean takes(FutureEventList events) {
        VirtualTimeMessage message = events.poppedMessage();
        Island island = islands[islandOfDevice[message.receiverId()]];
        boolean foreign = islandOfDevice[message.sourceId()] != island.index;
        boolean landed = false;
        if (island.leap != null) {
            landed = message.timePs() == island.leap.untilPs();
            if (foreign && message.timePs() <= island.leap.untilPs()) {
                Pending popped = events.popped();
                goBack(island, island.leap, message.timePs(), events);
                events.push(popped);
                return true;
            }
            island.leap = null;
        }
        if (foreign) {
            island.begun = null;
        }
        island.events++;
        int eventClass = EventOrder.eventClass(message.order());
        return eventClass >= EventOrder.KERNEL
                && isBeat(island, message, eventClass)
                && onBeat(island, message, eventClass == EventOrder.LAUNCH, landed, events);
    }

    private static boolean isBeat(Island island, VirtualTimeMessage message, int eventClass) {
        if (EventOrder.operation(message.order()) == EventOrder.OPERATIONS_MAX - 1) {
            return false;
        }
        if (island.lead < 0 && eventClass == EventOrder.LAUNCH) {
            island.lead = message.receiverId();
        }
        return island.lead == message.receiverId();
    }

    /**
     * Handles the start or end of an operation of the lead, where a stretch may end. Another starts at a launch, or where one has ended while chunks
     * are on their way: of two collectives that run at the same time, one ends first.
     */
    private boolean onBeat(
            Island island, VirtualTimeMessage message, boolean launches, boolean landed, FutureEventList events) {
        Begun begun = island.begun;
        if (begun != null && island.events - begun.events() < EVENTS_MIN) {
            return false;
        }
        if (begun == null && !launches && !landed) {
            return false;
        }
        Instant now = now(island, message, events);
        if (begun != null) {
            keep(island, new Stretch(stretchesKept++, begun.state(), begun.from(), now));
            island.begun = null;
        }
        if (!launches && !now.isExchanging()) {
            return false;
        }
        long[] state = state(island, now);
        Stretch again = find(island, state, now);
        if (again != null) {
            leap(island, again, now, events);
            return true;
        }
        island.begun = new Begun(state, now, island.events);
        return false;
    }

    private Instant now(Island island, VirtualTimeMessage message, FutureEventList events) {
        List<Pending> pending = events.pendingOf(islandOfDevice, island.index);
        pending.add(events.popped());
        List<Memory> memories = new ArrayList<>(island.devices.size());
        for (DeviceState device : island.devices) {
            memories.add(device.remember());
        }
        return new Instant(
                message.timePs(),
                EventOrder.operation(message.order()),
                memories,
                pending,
                Totals.of(island.devices),
                spans.size());
    }

    private long[] state(Island island, Instant now) {
        long floorPs = now.ps();
        List<VirtualTimeMessage> messages = new ArrayList<>();
        for (Pending event : now.pending()) {
            floorPs = Math.min(floorPs, event.message().earliestPs());
            messages.add(event.message());
        }
        messages.sort(FutureEventList::compare);
        writer.beginOfIsland(now.ps(), floorPs, now.operation());
        writer.value(messages.size());
        messages.forEach(each -> each.save(writer));
        island.devices.forEach(device -> device.save(writer));
        return writer.toArray();
    }

    private void keep(Island island, Stretch stretch) {
        if (valuesKept > VALUES_MAX) {
            all().forEach(each -> each.stretches.clear());
            valuesKept = 0;
        }
        valuesKept += stretch.state().length;
        island.stretches
                .computeIfAbsent(Arrays.hashCode(stretch.state()), key -> new ArrayList<>())
                .add(stretch);
    }

    private static @Nullable Stretch find(Island island, long[] state, Instant now) {
        for (Stretch stretch : island.stretches.getOrDefault(Arrays.hashCode(state), List.of())) {
            boolean meets = now.ps() <= island.expectedPs && now.ps() + stretch.lengthPs() >= island.expectedPs;
            if (!meets && Arrays.equals(stretch.state(), state) && readsAlike(island, stretch, now)) {
                return stretch;
            }
        }
        return null;
    }

    private static boolean readsAlike(Island island, Stretch stretch, Instant now) {
        int deltaOperations = now.operation() - stretch.from().operation();
        for (int i = 0; i < island.devices.size(); i++) {
            Memory from = stretch.from().memories().get(i);
            if (!island.devices.get(i).readsAlike(from, stretch.to().memories().get(i), deltaOperations)) {
                return false;
            }
        }
        return true;
    }

    private void leap(Island island, Stretch stretch, Instant now, FutureEventList events) {
        long deltaPs = now.ps() - stretch.from().ps();
        int deltaOperations = now.operation() - stretch.from().operation();
        PlaceInPlan place = new PlaceInPlan();
        island.devices.forEach(device -> device.tellPlace(place));
        events.remove(now.pending(), islandOfDevice, island.index);
        for (int i = 0; i < island.devices.size(); i++) {
            island.devices
                    .get(i)
                    .repeat(
                            stretch.from().memories().get(i),
                            stretch.to().memories().get(i),
                            deltaPs,
                            deltaOperations);
        }
        stretch.to().totals().addGrowth(stretch.from().totals(), 1, island.devices);
        List<Pending> pending = new ArrayList<>();
        for (Pending event : stretch.to().pending()) {
            Pending moved = event.shifted(deltaPs, deltaOperations);
            pending.add(moved);
            events.push(moved);
        }
        if (island.index == 0) {
            spans.repeat(stretch.from().spans(), stretch.to().spans(), deltaPs, deltaOperations);
        }
        island.leap = new Leap(now, place, now.operation(), stretch, pending);
    }

    private void goBack(Island island, Leap leap, long expectedPs, FutureEventList events) {
        Instant then = leap.from();
        events.remove(leap.pending(), islandOfDevice, island.index);
        for (int i = 0; i < island.devices.size(); i++) {
            island.devices.get(i).recall(then.memories().get(i));
        }
        Totals after = leap.stretch().to().totals();
        after.addGrowth(leap.stretch().from().totals(), -1, island.devices);
        if (island.index == 0) {
            spans.keep(then.spans());
        }
        events.goBackTo(then.ps());
        then.pending().forEach(events::push);
        island.leap = null;
        island.expectedPs = expectedPs;
    }

    // State that a skip of all islands compares and shifts.

    /** Appends the snapshots that islands ahead can roll back to. */
    void save(StateWriter writer) {
        all().forEach(island -> {
            Leap leap = island.leap;
            writer.value(leap == null ? -1 : leap.stretch().number());
            if (leap != null) {
                writer.instant(leap.from().ps());
                writer.operation(leap.from().operation());
                leap.from().memories().forEach(memory -> memory.save(writer));
            }
        });
    }

    /** Reports the positions in the plan that islands ahead can roll back to. */
    void tellPlace(PlaceInPlan place) {
        leaps().forEach(leap -> place.add(leap.place(), leap.from().operation() - leap.placed()));
    }

    /** Returns the pending events of islands ahead, by identity. */
    Map<VirtualTimeMessage, VirtualTimeMessage> pendingOfLeaps() {
        Map<VirtualTimeMessage, VirtualTimeMessage> pending = new IdentityHashMap<>();
        leaps().forEach(leap -> leap.pending().forEach(event -> pending.put(event.message(), event.message())));
        return pending;
    }

    /**
     * Shifts the islands when time is skipped for all.
     *
     * @param moved shifted versions of the pending events of islands ahead
     */
    void shift(
            long deltaPs,
            int deltaOperations,
            int[] deltaPositions,
            Map<VirtualTimeMessage, VirtualTimeMessage> moved) {
        all().forEach(island -> {
            island.begun = null;
            Leap leap = island.leap;
            if (leap != null) {
                List<Pending> pending = leap.pending().stream()
                        .map(event -> new Pending(
                                Objects.requireNonNull(moved.get(event.message())), event.receiver(), event.sender()))
                        .toList();
                Instant from = leap.from().shifted(deltaPs, deltaOperations, deltaPositions);
                island.leap = new Leap(from, leap.place(), leap.placed(), leap.stretch(), pending);
            }
        });
    }

    private Stream<Leap> leaps() {
        return all().map(island -> island.leap).filter(Objects::nonNull);
    }

    private Stream<Island> all() {
        return Arrays.stream(islands).filter(Objects::nonNull);
    }
}
