package io.shardsim.simulator.kernel;

/**
 * Follows which event sends which message: hears of each message as it is sent, and again as it is delivered. A run that is followed executes every event,
 * as one logical process.
 */
public interface Causality {

    /** The event that is being delivered sends a message. What is returned comes back when that is delivered. */
    Object onSent(VirtualTimeMessage message);

    /** @param sent what {@link #onSent} returned */
    void onDelivered(Object sent);
}
