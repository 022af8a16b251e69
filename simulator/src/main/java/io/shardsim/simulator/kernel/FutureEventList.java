package io.shardsim.simulator.kernel;

import java.util.Arrays;
import org.apache.pekko.actor.ActorCell;
import org.apache.pekko.dispatch.Envelope;

/**
 * Pending events in event-key order: a 4-ary heap of primitive keys beside the objects they belong to.
 *
 * <p>Push and pop assert that time does not run backwards; two different events that compare equal are a bug and are reported as one.
 */
final class FutureEventList {
    private static final int ARITY_SHIFT = 2;

    private long[] times = new long[1024];
    private long[] orders = new long[1024];
    private ActorCell[] receivers = new ActorCell[1024];
    private Envelope[] envelopes = new Envelope[1024];
    private int size;
    private int sizeMax;
    /** Time of the event popped last [ps]: state. */
    private long nowPs = Long.MIN_VALUE;

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
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    /** Receiver of the least event. */
    ActorCell nextReceiver() {
        return receivers[0];
    }

    /** Message of the least event, in its envelope. */
    Envelope nextEnvelope() {
        return envelopes[0];
    }

    void push(long timePs, long order, ActorCell receiver, Envelope envelope) {
        if (timePs < nowPs) {
            throw new IllegalStateException(
                    "event at " + timePs + " ps is sent at " + nowPs + " ps: " + envelope.message());
        }
        if (size == times.length) {
            grow();
        }
        int hole = size++;
        sizeMax = Math.max(sizeMax, size);
        while (hole > 0) {
            int parent = (hole - 1) >> ARITY_SHIFT;
            if (!isBefore(timePs, order, envelope, parent)) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        set(hole, timePs, order, receiver, envelope);
    }

    /** Removes the least event; the next* accessors show it beforehand. */
    void pop() {
        nowPs = times[0];
        int last = --size;
        long time = times[last];
        long order = orders[last];
        ActorCell receiver = receivers[last];
        Envelope envelope = envelopes[last];
        receivers[last] = null;
        envelopes[last] = null;
        if (last > 0) {
            siftDown(time, order, receiver, envelope);
        }
    }

    private void siftDown(long time, long order, ActorCell receiver, Envelope envelope) {
        int hole = 0;
        int firstChild = 1;
        while (firstChild < size) {
            int least = firstChild;
            int end = Math.min(firstChild + (1 << ARITY_SHIFT), size);
            for (int child = firstChild + 1; child < end; child++) {
                if (isBefore(times[child], orders[child], envelopes[child], least)) {
                    least = child;
                }
            }
            if (isBefore(time, order, envelope, least)) {
                break;
            }
            move(least, hole);
            hole = least;
            firstChild = (hole << ARITY_SHIFT) + 1;
        }
        set(hole, time, order, receiver, envelope);
    }

    private boolean isBefore(long time, long order, Envelope envelope, int other) {
        if (time != times[other]) {
            return time < times[other];
        }
        if (order != orders[other]) {
            return order < orders[other];
        }
        return compareTied(envelope, envelopes[other]) < 0;
    }

    private static int compareTied(Envelope one, Envelope other) {
        VirtualTimeMessage a = (VirtualTimeMessage) one.message();
        VirtualTimeMessage b = (VirtualTimeMessage) other.message();
        int byReceiver = Integer.compare(a.receiverId(), b.receiverId());
        int comparison = byReceiver != 0 ? byReceiver : Integer.compare(a.sourceId(), b.sourceId());
        if (comparison == 0) {
            throw new IllegalStateException("two events have the same key: " + a + " and " + b);
        }
        return comparison;
    }

    private void move(int from, int to) {
        times[to] = times[from];
        orders[to] = orders[from];
        receivers[to] = receivers[from];
        envelopes[to] = envelopes[from];
    }

    private void set(int index, long time, long order, ActorCell receiver, Envelope envelope) {
        times[index] = time;
        orders[index] = order;
        receivers[index] = receiver;
        envelopes[index] = envelope;
    }

    private void grow() {
        int capacity = 2 * size;
        times = Arrays.copyOf(times, capacity);
        orders = Arrays.copyOf(orders, capacity);
        receivers = Arrays.copyOf(receivers, capacity);
        envelopes = Arrays.copyOf(envelopes, capacity);
    }

    /** Earliest instant that a pending event refers to, the given one when there is none earlier [ps]. */
    long earliestPs(long timePs) {
        long earliest = timePs;
        for (int i = 0; i < size; i++) {
            earliest = Math.min(earliest, ((VirtualTimeMessage) envelopes[i].message()).earliestPs());
        }
        return earliest;
    }

    /** Appends all pending messages in event-key order. */
    void save(StateWriter writer) {
        VirtualTimeMessage[] messages = new VirtualTimeMessage[size];
        for (int i = 0; i < size; i++) {
            messages[i] = (VirtualTimeMessage) envelopes[i].message();
        }
        Arrays.sort(messages, FutureEventList::compare);
        writer.value(size);
        for (VirtualTimeMessage message : messages) {
            message.save(writer);
        }
    }

    private static int compare(VirtualTimeMessage a, VirtualTimeMessage b) {
        int byTime = Long.compare(a.timePs(), b.timePs());
        int byOrder = byTime != 0 ? byTime : Long.compare(a.order(), b.order());
        int byReceiver = byOrder != 0 ? byOrder : Integer.compare(a.receiverId(), b.receiverId());
        return byReceiver != 0 ? byReceiver : Integer.compare(a.sourceId(), b.sourceId());
    }

    /** Moves all pending events in time and in the plan; their order among themselves stays. */
    void shift(long deltaPs, int deltaOperations) {
        for (int i = 0; i < size; i++) {
            VirtualTimeMessage message =
                    ((VirtualTimeMessage) envelopes[i].message()).shifted(deltaPs, deltaOperations);
            envelopes[i] = new Envelope(message, envelopes[i].sender());
            times[i] = message.timePs();
            orders[i] = message.order();
        }
        nowPs += deltaPs;
    }

    /** Forgets everything, ready for another run. */
    void clear() {
        Arrays.fill(receivers, 0, size, null);
        Arrays.fill(envelopes, 0, size, null);
        size = 0;
        sizeMax = 0;
        nowPs = Long.MIN_VALUE;
    }
}
