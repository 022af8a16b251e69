package io.shardsim.simulator.kernel;

/**
 * Message that is delivered at an instant of virtual time.
 *
 * <p>The event key is (time, order, receiver, source, flow): a total order that depends only on the message. It uses no counters, so neither threads,
 * nor the partition into logical processes, nor skipping symmetric nodes can change it.
 */
public interface VirtualTimeMessage {

    /** Returns the instant of delivery [ps]. */
    long timePs();

    /** Returns the order among messages at the same time; see {@link EventOrder}. */
    long order();

    /** Returns the ID of the receiving device. */
    int receiverId();

    /** Returns the ID of the sending device. */
    int sourceId();

    /** Distinguishes otherwise equal messages from one device to another at the same time, for example for different nodes. */
    default int flow() {
        return 0;
    }

    /** Returns the earliest instant that its effects can refer to [ps]: before the delivery if a device may act on the past. */
    long earliestPs();

    /** Returns whether it arrives at an outbound port: one that only its own node sends to, and the only way out of it; see {@link Lookahead}. */
    default boolean isOutbound() {
        return false;
    }

    /** Returns this message shifted in time and in the plan. */
    VirtualTimeMessage shifted(long deltaPs, int deltaOperations);

    /** Appends everything that determines this message's effects, relative to an origin. */
    void save(StateWriter writer);
}
