package io.shardsim.simulator.kernel;

/** Serializes messages between logical processes to numbers and back. */
public interface Crossing {

    void write(VirtualTimeMessage message, EventBatch to);

    /** Reads one message and delivers it to its receiver. */
    void deliver(EventBatch from);
}
