package io.shardsim.simulator.device;

/** Observer of a GPU, in virtual time. */
public interface GpuObserver {

    void onOperationEnded(int operation, long startPs, long endPs);

    /** Compute has stood still, for which a stream is blamed. */
    default void onExposed(int stream, long fromPs, long untilPs) {}

    /** The compute stream starts the first operation behind these marks of the plan. */
    void onMarksReached(int[] marks, long nowPs);

    /** The first channel of a collective begins a primitive, or a loop over several, once more. */
    void onRepetition(int operation);
}
