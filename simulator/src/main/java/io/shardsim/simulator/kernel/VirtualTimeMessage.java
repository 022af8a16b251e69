package io.shardsim.simulator.kernel;

/**
 * A message that is delivered at an instant of virtual time.
 *
 * <p>The event key is (time, order, receiver, source, flow): total, and a function of what the message is about. No counter of anybody's takes
 * part, so neither threads, nor the cut into logical processes, nor leaving out symmetric nodes can change the order.
 */
public interface VirtualTimeMessage {

    /** Instant of delivery [ps]. */
    long timePs();

    /** Rank among messages of the same instant; see {@link EventOrder}. */
    long order();

    /** Id of the device that receives it. */
    int receiverId();

    /** Id of the device that sent it. */
    int sourceId();

    /** Tells apart what one device sends to another for the same instant and is alike otherwise: on its way to different nodes, for instance. */
    default int flow() {
        return 0;
    }

    /** Earliest instant that what it causes can refer to [ps]: before the delivery when a device may act on the past. */
    long earliestPs();

    /** True when it arrives at a port that only hears from its own node and alone sends out of it; see {@link Lookahead}. */
    default boolean isOutbound() {
        return false;
    }

    /** The same message later in time and further on in the plan. */
    VirtualTimeMessage shifted(long deltaPs, int deltaOperations);

    /** Appends everything that makes this message behave as it does, relative to an origin. */
    void save(StateWriter writer);
}
