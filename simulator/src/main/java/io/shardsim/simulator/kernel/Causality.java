package io.shardsim.simulator.kernel;

/**
 * Traces which event sends which message: called for each message when it is sent, and again when it is delivered. A traced run executes every event,
 * as one logical process.
 */
public interface Causality {

    /** Called when the current event sends a message. The return value is passed to {@link #onDelivered}. */
    Object onSent(VirtualTimeMessage message);

    /** @param sent return value of {@link #onSent} */
    void onDelivered(Object sent);
}
