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
 * Pending events in event-key order: a 4-ary heap of times; all else that belongs to an event stays where it was put.
 *
 * <p>The least of four children is found without branches, which nobody could predict, unless two are due at the same instant; what is taken from the
 * end of the heap goes down to a leaf and up again, for there it mostly belongs.
 *
 * <p>Push and pop assert that time does not run backwards; two different events that compare equal are a bug and are reported as one.
 */
final class FutureEventList {
    private static final int ARITY_SHIFT = 2;
    private static final int ARITY = 1 << ARITY_SHIFT;
    private static final int INITIAL_CAPACITY = 256;
    private static final int SIGN = Long.SIZE - 1;
    /** Stands behind the last event, so that every event has four children. */
    private static final long NEVER = Long.MAX_VALUE;

    /** The heap: instants [ps], then at least {@link #ARITY} times {@link #NEVER}. */
    private long[] times = never(new long[INITIAL_CAPACITY + ARITY], 0);
    /** The place of each event in the heap. */
    private int[] places = new int[INITIAL_CAPACITY + ARITY];
    /** By place: the order of each event, its receiver and source, what it is and who gets it. */
    private long[] orders = new long[INITIAL_CAPACITY];

    private long[] devices = new long[INITIAL_CAPACITY];
    private ActorCell[] receivers = new ActorCell[INITIAL_CAPACITY];
    private Envelope[] envelopes = new Envelope[INITIAL_CAPACITY];
    /** Who follows the run, null when nobody does. */
    private @Nullable Causality causality;
    /** By place: what it keeps of each event; as long as the others while somebody follows. */
    private Object[] sent = {};
    /** Places that are free, as a stack. */
    private int[] freePlaces = new int[INITIAL_CAPACITY];

    private int freeCount;
    private int placesUsed;
    private int size;
    private int sizeMax;
    /** Time of the event popped last [ps]: state. */
    private long nowPs;
    /** Place of the event popped last. */
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

    /** Time of the least event [ps], Long.MAX_VALUE when there is none. */
    long nextTimePs() {
        return times[0];
    }

    /** Receiver of the event popped last. */
    ActorCell poppedReceiver() {
        return receivers[poppedPlace];
    }

    /** Message of the event popped last, in its envelope. */
    Envelope poppedEnvelope() {
        return envelopes[poppedPlace];
    }

    VirtualTimeMessage poppedMessage() {
        return message(poppedPlace);
    }

    /** Lets somebody follow all that is sent from now on. */
    void follow(Causality follower) {
        causality = follower;
        sent = new Object[envelopes.length];
    }

    void push(VirtualTimeMessage message, ActorCell receiver, Envelope envelope) {
        long timePs = message.timePs();
        // A sum that went beyond what a long holds is negative, as no single time is longer than that.
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
        orders[place] = message.order();
        devices[place] = devices(message);
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

    /** Removes the least event; what belongs to it can be had until the next push or pop. */
    void pop() {
        nowPs = times[0];
        poppedPlace = places[0];
        if (causality != null) {
            causality.onDelivered(sent[poppedPlace]);
        }
        freePlaces[freeCount++] = poppedPlace;
        removeFrom(0);
    }

    /** Takes out of the heap what is there. */
    private void removeFrom(int hole) {
        int last = --size;
        long time = times[last];
        int place = places[last];
        times[last] = NEVER;
        if (hole < last) {
            siftUp(leafBelow(hole, last), time, place);
        }
    }

    /** Moves the least children up, from a place on, and returns the place where one is then missing. */
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

    /** Times are not negative, so that their differences have the right sign. */
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
        if (orders[place] != orders[other]) {
            return orders[place] < orders[other];
        }
        if (devices[place] != devices[other]) {
            return devices[place] < devices[other];
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
        orders = Arrays.copyOf(orders, capacity);
        devices = Arrays.copyOf(devices, capacity);
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

    /** A pending event. */
    record Pending(VirtualTimeMessage message, ActorCell receiver, ActorRef sender) {
        Pending shifted(long deltaPs, int deltaOperations) {
            return new Pending(message.shifted(deltaPs, deltaOperations), receiver, sender);
        }
    }

    /** The event popped last. */
    Pending popped() {
        return new Pending(poppedMessage(), poppedReceiver(), poppedEnvelope().sender());
    }

    void push(Pending event) {
        push(event.message(), event.receiver(), new Envelope(event.message(), event.sender()));
    }

    /** Pending events that devices of one island receive. */
    List<Pending> pendingOf(int[] islandOfDevice, int island) {
        List<Pending> found = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            int place = places[i];
            if (islandOfDevice[(int) (devices[place] >>> Integer.SIZE)] == island) {
                found.add(new Pending(message(place), receivers[place], envelopes[place].sender()));
            }
        }
        return found;
    }

    /** Takes pending events of one island out: the very ones, not their like. */
    void remove(List<Pending> events, int[] islandOfDevice, int island) {
        Set<Object> gone = Collections.newSetFromMap(new IdentityHashMap<>());
        events.forEach(event -> gone.add(event.message()));
        int before;
        // What is moved into a gap may go up past what has been looked at, and push others down there.
        do {
            before = size;
            for (int i = size - 1; i >= 0; i--) {
                int place = places[i];
                if (islandOfDevice[(int) (devices[place] >>> Integer.SIZE)] == island && gone.remove(message(place))) {
                    freePlaces[freeCount++] = place;
                    removeFrom(i);
                }
            }
        } while (size < before && !gone.isEmpty());
    }

    /** Goes back to an instant at which something is left to be done. */
    void goBackTo(long ps) {
        nowPs = Math.min(nowPs, ps);
    }

    /** Earliest instant that a pending event refers to, the given one when there is none earlier [ps]. */
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

    /** Appends all pending messages in event-key order, those that a loop does not move behind the others and as they are. */
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

    /** What is different in most states that are: how much is pending, and how soon the next of it comes. */
    long hint() {
        return 31L * size + (times[0] - nowPs);
    }

    /** Least instant at which something comes due that a loop does not move, Long.MAX_VALUE when nothing does [ps]. */
    long heldUntilPs() {
        long until = Long.MAX_VALUE;
        for (int i = 0; i < size; i++) {
            if (isHeld(places[i])) {
                until = Math.min(until, times[i]);
            }
        }
        return until;
    }

    /** True of what a device has set itself once and a loop does not set again: the end of a kernel, the begin of a collective. */
    private boolean isHeld(int place) {
        int eventClass = EventOrder.eventClass(orders[place]);
        return eventClass == EventOrder.KERNEL || eventClass == EventOrder.LAUNCH;
    }

    static int compare(VirtualTimeMessage a, VirtualTimeMessage b) {
        int byTime = Long.compare(a.timePs(), b.timePs());
        int byOrder = byTime != 0 ? byTime : Long.compare(a.order(), b.order());
        int byDevices = byOrder != 0 ? byOrder : Long.compare(devices(a), devices(b));
        return byDevices != 0 ? byDevices : Integer.compare(a.flow(), b.flow());
    }

    /**
     * Moves all pending events in time and in the plan; their order among themselves stays.
     *
     * @param moved messages, by identity; each gets what it has become
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
            orders[place] = message.order();
        }
    }

    /** Moves the pending events that a loop moves. */
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

    /** Forgets everything, ready for another run. */
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
