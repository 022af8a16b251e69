package io.shardsim.simulator.kernel;

/**
 * What a device lets the kernel do with its state between two events: compare it, move it in time, and multiply its totals.
 */
public interface DeviceState {

    int deviceId();

    /** Appends everything that decides the device's future, relative to the writer's origin; totals left out. */
    void save(StateWriter writer);

    /** Moves all instants and places in the plan. */
    void shift(long deltaPs, int deltaOperations, int[] deltaPositions);

    /** Least operation of the plan that is not done, Integer.MAX_VALUE when there is none. */
    int nearestOperation();

    /** Furthest operation of the plan that has been looked at, -1 when there is none. */
    int furthestOperation();

    /** Number of totals. */
    int totalsCount();

    /** A sum that grows by the same amount in each repetition of equal events. */
    long total(int index);

    void addToTotal(int index, long amount);
}
