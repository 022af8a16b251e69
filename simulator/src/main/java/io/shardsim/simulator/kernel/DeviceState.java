package io.shardsim.simulator.kernel;

import java.util.PrimitiveIterator;

/**
 * What a device lets the kernel do with its state between two events: compare it, move it in time, and multiply its totals.
 */
public interface DeviceState {

    int deviceId();

    /** Appends everything that decides the device's future, relative to the writer's origin; totals left out. */
    void save(StateWriter writer);

    /** Moves all instants and places in the plan. */
    void shift(long deltaPs, int deltaOperations, int[] deltaPositions);

    /**
     * Moves all instants that a loop moves.
     *
     * @param growth what each counter grows by, in the order in which they were saved
     */
    void repeatLoop(long deltaPs, PrimitiveIterator.OfLong growth);

    /** Tells where in the plan this device is; nothing when it runs no plan. */
    void tellPlace(PlaceInPlan place);

    /** Number of totals. */
    int totalsCount();

    /** Copies the totals, sums that grow by the same amounts in each repetition of equal events, into a part of an array that begins at an index. */
    void copyTotals(long[] values, int at);

    /** Adds to the totals what a part of an array holds. */
    void addToTotals(long[] growth, int at);
}
