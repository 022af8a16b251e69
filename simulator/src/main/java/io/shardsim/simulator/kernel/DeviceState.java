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

    /** What a device was at an instant; only the device that made it can read it. */
    interface Memory {
        /** The same later in time and further on in the plan. */
        Memory shifted(long deltaPs, int deltaOperations, int[] deltaPositions);

        /** Appends what a message can refer back to that is still to come. */
        void save(StateWriter writer);
    }

    /** Writes down all that decides the device's future, as it is; totals left out. */
    Memory remember();

    /** Is again what it was; totals left out. */
    void recall(Memory then);

    /**
     * True when what the device does from now on is what it did between two instants, as far as the plan decides: it reads the same from here as from there.
     *
     * @param deltaOperations how much further on in the plan it is now
     */
    boolean readsAlike(Memory from, Memory to, int deltaOperations);

    /** Becomes what it would be once it has done again what it did between two instants; totals left out. */
    void repeat(Memory from, Memory to, long deltaPs, int deltaOperations);

    /** Number of totals. */
    int totalsCount();

    /** Copies the totals, sums that grow by the same amounts in each repetition of equal events, into a part of an array that begins at an index. */
    void copyTotals(long[] values, int at);

    /** Adds to the totals what a part of an array holds. */
    void addToTotals(long[] growth, int at);
}
