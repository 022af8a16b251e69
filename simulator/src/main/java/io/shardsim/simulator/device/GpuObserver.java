package io.shardsim.simulator.device;

/** Observer of a GPU, in virtual time. */
public interface GpuObserver {

    void onOperationEnded(int operation, long startPs, long endPs);

    /** Receives a stretch of idle compute, attributed to a stream. */
    default void onExposed(int stream, long fromPs, long untilPs) {}

    /** Called when the compute stream starts the first operation after these marks of the plan. */
    void onMarksReached(int[] marks, long nowPs);

    /** Called when the first channel of a collective repeats a primitive, or a loop over several. */
    void onRepetition(int operation);
}
