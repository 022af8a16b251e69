package io.shardsim.simulator.kernel;

/**
 * Exchange of one logical process with the others of its run at the end of each window of virtual time. All of them call {@link #exchange} equally
 * often; messages posted before the call are available to the others after it.
 *
 * <p>{@link LocalExchange} connects the threads of one JVM. Several machines only need another implementation.
 */
public interface WindowExchange {

    /** Returns the number of logical processes of the run. */
    int processes();

    /** Returns the index of this process. */
    int self();

    /** Returns the batch for another logical process in the next exchange. */
    EventBatch to(int process);

    /**
     * Hands over the posted messages and waits until all others have done so.
     *
     * @param boundPs instant before which no future message of this logical process can arrive [ps]
     * @return the minimum bound: how far every process may advance [ps]
     * @throws OtherProcessFailedException if another process has failed
     * @throws IllegalStateException if this thread was interrupted
     */
    long exchange(long boundPs);

    /** Returns the batch from another logical process in the last exchange; to be read before the next one. */
    EventBatch from(int process);

    /** Tells the others that this process will not return, and ends its own wait. Callable from any thread. */
    void abort();
}
