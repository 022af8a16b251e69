package io.shardsim.simulator.kernel;

import io.shardsim.simulator.TooLargeException;
import io.shardsim.topology.units.Picoseconds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pekko.actor.ActorCell;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.dispatch.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * Pending events in event-key order: a 4-ary heap of times; the rest of an event stays in place.
 *
 * <p>The least of four children is found without branches, which would be unpredictable, unless two are due at the same instant. An element taken
 * from the end of the heap sinks to a leaf and rises again, since it mostly belongs there.
 *
 * <p>Push and pop assert that time does not run backwards. Two different events that compare equal are a bug and reported as such.
 */
final class FutureEventList {
    private static final int ARITY_SHIFT = 2;
    private static final int ARITY = 1 << ARITY_SHIFT;
    private static final int INITIAL_CAPACITY = 256;
    private static final int SIGN = Long.SIZE - 1;
    /** Sentinel after the last event, so that every event has four children. */
    private static final long NEVER = Long.MAX_VALUE;

    /** The heap: instants [ps], then at least {@link #ARITY} times {@link #NEVER}. */
    private long[] times = never(new long[INITIAL_CAPACITY + ARITY], 0);
    /** Slot of each event in the heap. */
    private int[] places = new int[INITIAL_CAPACITY + ARITY];
    /** Order of each event, then its receiver and source, side by side for the cache. */
    private long[] keys = new long[2 * INITIAL_CAPACITY];
    /** Addressee and message of each event, by slot. */
    private ActorCell[] receivers = new ActorCell[INITIAL_CAPACITY];

    private Envelope[] envelopes = new Envelope[INITIAL_CAPACITY];
    /** Tracer of the run, or null. */
    private @Nullable Causality causality;
    /** Tracer's data of each event, by slot; allocated while there is a tracer. */
    private Object[] sent = {};
    /** Free slots, as a stack. */
    private int[] freePlaces = new int[INITIAL_CAPACITY];

    private int freeCount;
    private int placesUsed;
    private int size;
    private int sizeMax;
    /** Time of the event popped last [ps]: state. */
    private long nowPs;
    /** Slot of the event popped last. */
    private int poppedPlace;

    private static long[] never(long[] times, int from) {
        Arrays.fill(times, from, times.length, NEVER);
        return times;
    }

    int size() {
        return size;
    }

    int sizeMax() {
        return sizeMax;
    }

    long nowPs() {
        return nowPs;
    }

    /** Returns the time of the least event [ps]; Long.MAX_VALUE if there is none. */
    long nextTimePs() {
        return times[0];
    }

    /** Returns the receiver of the event popped last. */
    ActorCell poppedReceiver() {
        return receivers[poppedPlace];
    }

    /** Returns the message of the event popped last, in its envelope. */
    Envelope poppedEnvelope() {
        return envelopes[poppedPlace];
    }

    VirtualTimeMessage poppedMessage() {
        return message(poppedPlace);
    }

    /** Sets the tracer of all messages sent from now on. */
    void follow(Causality follower) {
        causality = follower;
        sent = new Object[envelopes.length];
    }

    void push(VirtualTimeMessage message, ActorCell receiver, Envelope envelope) {
        long timePs = message.timePs();
        // An overflowed sum is negative, since no single time is that long.
        if (timePs < 0 || timePs > Picoseconds.LONGEST) {
            throw TooLargeException.ofTime();
        }
        if (timePs < nowPs) {
            throw new IllegalStateException("event at " + timePs + " ps is sent at " + nowPs + " ps: " + message);
        }
        if (size == envelopes.length) {
            grow();
        }
        int place = freeCount > 0 ? freePlaces[--freeCount] : placesUsed++;
        keys[2 * place] = message.order();
        keys[2 * place + 1] = devices(message);
        receivers[place] = receiver;
        envelopes[place] = envelope;
        if (causality != null) {
            sent[place] = causality.onSent(message);
        }
        sizeMax = Math.max(sizeMax, size + 1);
        siftUp(size++, timePs, place);
    }

    private void advance(long deltaPs) {
        nowPs = Math.addExact(nowPs, deltaPs);
        if (nowPs > Picoseconds.LONGEST) {
            throw TooLargeException.ofTime();
        }
    }

    private static long devices(VirtualTimeMessage message) {
        return (long) message.receiverId() << Integer.SIZE | message.sourceId();
    }

    private void siftUp(int from, long time, int place) {
        int hole = from;
        while (hole > 0) {
            int parent = (hole - 1) >> ARITY_SHIFT;
            if (!isBefore(time, place, parent)) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        times[hole] = time;
        places[hole] = place;
    }

    /** Removes the least event; its data is available until the next push or pop. */
    void pop() {
        nowPs = times[0];
        poppedPlace = places[0];
        if (causality != null) {
            causality.onDelivered(sent[poppedPlace]);
        }
        freePlaces[freeCount++] = poppedPlace;
        removeFrom(0);
    }

    /** Removes the element of the heap at an index. */
    private void removeFrom(int hole) {
        int last = --size;
        long time = times[last];
        int place = places[last];
        times[last] = NEVER;
        if (hole < last) {
            siftUp(leafBelow(hole, last), time, place);
        }
    }

    /** Moves the least children up, from an index on, and returns the index of the resulting gap. */
    private int leafBelow(int from, int end) {
        int hole = from;
        int firstChild = (from << ARITY_SHIFT) + 1;
        while (firstChild < end) {
            int least = leastOfFour(firstChild);
            move(least, hole);
            hole = least;
            firstChild = (hole << ARITY_SHIFT) + 1;
        }
        return hole;
    }

    /** Returns the index of the least of four children; times are not negative, so their differences have the right sign. */
    private int leastOfFour(int first) {
        long fromFirst = times[first + 1] - times[first];
        long fromThird = times[first + 3] - times[first + 2];
        long second = fromFirst >> SIGN;
        long fourth = fromThird >> SIGN;
        long difference = times[first + 2] + (fromThird & fourth) - times[first] - (fromFirst & second);
        long behind = difference >> SIGN;
        long decisive = (behind & fromThird) | (~behind & fromFirst);
        if (decisive == 0 || difference == 0) {
            return leastByKey(first);
        }
        return first + (int) ((behind & 2 - fourth) | (~behind & -second));
    }

    private int leastByKey(int first) {
        int least = first;
        for (int child = first + 1; child < Math.min(first + ARITY, size); child++) {
            if (isBefore(times[child], places[child], least)) {
                least = child;
            }
        }
        return least;
    }

    private boolean isBefore(long time, int place, int other) {
        return time == times[other] ? comesFirst(place, places[other]) : time < times[other];
    }

    private boolean comesFirst(int place, int other) {
        if (keys[2 * place] != keys[2 * other]) {
            return keys[2 * place] < keys[2 * other];
        }
        if (keys[2 * place + 1] != keys[2 * other + 1]) {
            return keys[2 * place + 1] < keys[2 * other + 1];
        }
        int flow = message(place).flow();
        int otherFlow = message(other).flow();
        if (flow == otherFlow) {
            throw new IllegalStateException("two events have the same key: " + message(other));
        }
        return flow < otherFlow;
    }

    private void move(int from, int to) {
        times[to] = times[from];
        places[to] = places[from];
    }

    private void grow() {
        int capacity = 2 * size;
        times = never(Arrays.copyOf(times, capacity + ARITY), size);
        places = Arrays.copyOf(places, capacity + ARITY);
        keys = Arrays.copyOf(keys, 2 * capacity);
        receivers = Arrays.copyOf(receivers, capacity);
        envelopes = Arrays.copyOf(envelopes, capacity);
        if (causality != null) {
            sent = Arrays.copyOf(sent, capacity);
        }
        freePlaces = Arrays.copyOf(freePlaces, capacity);
    }

    private VirtualTimeMessage message(int place) {
        return (VirtualTimeMessage) envelopes[place].message();
    }

    /** Pending event. */
    record Pending(VirtualTimeMessage message, ActorCell receiver, ActorRef sender) {
        Pending shifted(long deltaPs, int deltaOperations) {
            return new Pending(message.shifted(deltaPs, deltaOperations), receiver, sender);
        }
    }

    /** Returns the event popped last. */
    Pending popped() {
        return new Pending(poppedMessage(), poppedReceiver(), poppedEnvelope().sender());
    }

    void push(Pending event) {
        push(event.message(), event.receiver(), new Envelope(event.message(), event.sender()));
    }

    /** Returns the pending events that devices of one island receive. */
    List<Pending> pendingOf(int[] islandOfDevice, int island) {
        List<Pending> found = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            int place = places[i];
            if (islandOfDevice[(int) (keys[2 * place + 1] >>> Integer.SIZE)] == island) {
                found.add(new Pending(message(place), receivers[place], envelopes[place].sender()));
            }
        }
        return found;
    }

    /** Removes pending events of one island, compared by identity. */
    void remove(List<Pending> events, int[] islandOfDevice, int island) {
        Set<Object> gone = Collections.newSetFromMap(new IdentityHashMap<>());
        events.forEach(event -> gone.add(event.message()));
        int before;
        // The element that fills a gap may rise above the part already scanned, and push others down there.
        do {
            before = size;
            for (int i = size - 1; i >= 0; i--) {
                int place = places[i];
                if (islandOfDevice[(int) (keys[2 * place + 1] >>> Integer.SIZE)] == island
                        && gone.remove(message(place))) {
                    freePlaces[freeCount++] = place;
                    removeFrom(i);
                }
            }
        } while (size < before && !gone.isEmpty());
    }

    /** Goes back to an instant with unfinished work. */
    void goBackTo(long ps) {
        nowPs = Math.min(nowPs, ps);
    }

    /** Returns the earliest instant that a pending event refers to, at most the given one [ps]. */
    long earliestPs(long timePs) {
        long earliest = timePs;
        for (int i = 0; i < size; i++) {
            earliest = Math.min(earliest, message(places[i]).earliestPs());
        }
        return earliest;
    }

    /** Appends all pending messages in event-key order. */
    void save(StateWriter writer) {
        VirtualTimeMessage[] messages = new VirtualTimeMessage[size];
        for (int i = 0; i < size; i++) {
            messages[i] = message(places[i]);
        }
        Arrays.sort(messages, FutureEventList::compare);
        writer.value(size);
        for (VirtualTimeMessage message : messages) {
            message.save(writer);
        }
    }

    /** Appends all pending messages in event-key order; those that a loop does not shift come last and unchanged. */
    void saveWithinLoop(StateWriter writer) {
        VirtualTimeMessage[] messages = new VirtualTimeMessage[size];
        int moving = 0;
        int held = size;
        for (int i = 0; i < size; i++) {
            if (isHeld(places[i])) {
                messages[--held] = message(places[i]);
            } else {
                messages[moving++] = message(places[i]);
            }
        }
        Arrays.sort(messages, 0, moving, FutureEventList::compare);
        Arrays.sort(messages, moving, size, FutureEventList::compare);
        writer.value(moving);
        writer.value(size);
        for (int i = 0; i < moving; i++) {
            messages[i].save(writer);
        }
        for (int i = moving; i < size; i++) {
            writer.value(messages[i].timePs());
            writer.value(messages[i].order());
            writer.value(devices(messages[i]));
            writer.value(messages[i].flow());
        }
    }

    /** Returns a hint that differs for most different states: the number of pending events, and the time to the next. */
    long hint() {
        return 31L * size + (times[0] - nowPs);
    }

    /** Returns the earliest due time among events that a loop does not shift; Long.MAX_VALUE if there is none [ps]. */
    long heldUntilPs() {
        long until = Long.MAX_VALUE;
        for (int i = 0; i < size; i++) {
            if (isHeld(places[i])) {
                until = Math.min(until, times[i]);
            }
        }
        return until;
    }

    /** Returns whether a device has set this event once and a loop does not set it again: the end of a kernel, the start of a collective. */
    private boolean isHeld(int place) {
        int eventClass = EventOrder.eventClass(keys[2 * place]);
        return eventClass == EventOrder.KERNEL || eventClass == EventOrder.LAUNCH;
    }

    static int compare(VirtualTimeMessage a, VirtualTimeMessage b) {
        int byTime = Long.compare(a.timePs(), b.timePs());
        int byOrder = byTime != 0 ? byTime : Long.compare(a.order(), b.order());
        int byDevices = byOrder != 0 ? byOrder : Long.compare(devices(a), devices(b));
        return byDevices != 0 ? byDevices : Integer.compare(a.flow(), b.flow());
    }

    /**
     * Shifts all pending events in time and in the plan; their relative order stays.
     *
     * @param moved messages by identity, mapped to their shifted versions
     */
    void shift(long deltaPs, int deltaOperations, Map<VirtualTimeMessage, VirtualTimeMessage> moved) {
        advance(deltaPs);
        for (int i = 0; i < size; i++) {
            VirtualTimeMessage message = message(places[i]).shifted(deltaPs, deltaOperations);
            int place = places[i];
            if (moved.containsKey(message(place))) {
                moved.put(message(place), message);
            }
            envelopes[place] = new Envelope(message, envelopes[place].sender());
            times[i] = message.timePs();
            keys[2 * place] = message.order();
        }
    }

    /** Shifts the pending events that a loop shifts. */
    void repeatLoop(long deltaPs) {
        advance(deltaPs);
        for (int i = 0; i < size; i++) {
            int place = places[i];
            long time = times[i];
            if (!isHeld(place)) {
                VirtualTimeMessage message = message(place).shifted(deltaPs, 0);
                envelopes[place] = new Envelope(message, envelopes[place].sender());
                time += deltaPs;
            }
            siftUp(i, time, place);
        }
    }

    /** Clears the list for another run. */
    void clear() {
        Arrays.fill(receivers, null);
        Arrays.fill(envelopes, null);
        causality = null;
        sent = new Object[0];
        never(times, 0);
        freeCount = 0;
        placesUsed = 0;
        size = 0;
        sizeMax = 0;
        nowPs = 0;
    }
}
