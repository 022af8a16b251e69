package io.shardsim.simulator.kernel;

import java.util.PrimitiveIterator;

/** State of a device between events, as the kernel sees it: it can be compared, shifted in time, and its totals multiplied. */
public interface DeviceState {

    int deviceId();

    /** Appends everything that determines the device's future, relative to the writer's origin; without totals. */
    void save(StateWriter writer);

    /** Shifts all instants and positions in the plan. */
    void shift(long deltaPs, int deltaOperations, int[] deltaPositions);

    /**
     * Shifts all instants that a loop shifts.
     *
     * @param growth growth of each counter, in the order of saving
     */
    void repeatLoop(long deltaPs, PrimitiveIterator.OfLong growth);

    /** Reports this device's position in the plan; does nothing if it runs no plan. */
    void tellPlace(PlaceInPlan place);

    /** Snapshot of a device; only that device can read it. */
    interface Memory {
        /** Returns this snapshot shifted in time and in the plan. */
        Memory shifted(long deltaPs, int deltaOperations, int[] deltaPositions);

        /** Appends the parts that future messages can refer to. */
        void save(StateWriter writer);
    }

    /** Takes a snapshot of everything that determines the device's future; without totals. */
    Memory remember();

    /** Restores a snapshot; without totals. */
    void recall(Memory then);

    /**
     * Returns whether the plan makes the device repeat what it did between two instants: it reads the same from both places.
     *
     * @param deltaOperations number of operations that the plan has advanced since
     */
    boolean readsAlike(Memory from, Memory to, int deltaOperations);

    /** Repeats at once what the device did between two instants; without totals. */
    void repeat(Memory from, Memory to, long deltaPs, int deltaOperations);

    /** Returns the number of totals. */
    int totalsCount();

    /** Copies the totals, sums that grow equally in each repetition of equal events, into an array from an index on. */
    void copyTotals(long[] values, int at);

    /** Adds values of an array, from an index on, to the totals. */
    void addToTotals(long[] growth, int at);
}
