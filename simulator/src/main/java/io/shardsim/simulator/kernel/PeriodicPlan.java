package io.shardsim.simulator.kernel;

/**
 * Where a plan repeats itself. Marks cut it into segments, level by level; a segment begins at its mark and ends before the next mark of its
 * level.
 */
public interface PeriodicPlan {

    int level(int mark);

    /** Index of the first operation behind a mark. */
    int operationBefore(int mark);

    /** For each stream, the number of operations before a mark. */
    int[] positionsBefore(int mark);

    /** Number of segments from one mark to a later one of the same level. */
    int segmentsFrom(int earlier, int later);

    /** Number of segments of a mark's level from the one that holds an operation to the one that holds another. */
    int segmentsBetween(int mark, int fromOperation, int toOperation);

    /**
     * How many segments the place of execution can move on from a mark such that every segment from the nearest operation to the furthest equals
     * the one a period before it, before and after the move. May be negative.
     *
     * @param period in segments
     * @param nearest least operation that is not done
     * @param furthest furthest operation that has been looked at
     */
    int repetitionsAhead(int mark, int period, int nearest, int furthest);
}
