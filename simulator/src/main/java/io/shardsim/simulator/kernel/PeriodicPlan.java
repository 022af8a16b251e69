package io.shardsim.simulator.kernel;

/** Repetition of a plan. Marks cut it into segments, level by level; a segment begins at its mark and ends before the next mark of its level. */
public interface PeriodicPlan {

    int level(int mark);

    /** Returns the index of the first operation after a mark. */
    int operationBefore(int mark);

    /** Returns the number of operations before a mark, by stream. */
    int[] positionsBefore(int mark);

    /** Returns the number of segments from one mark to a later one of the same level. */
    int segmentsFrom(int earlier, int later);

    /** Returns the number of segments of a mark's level from the segment of one operation to that of another. */
    int segmentsBetween(int mark, int fromOperation, int toOperation);

    /**
     * Returns how many segments the position can advance from a mark such that every segment from the nearest operation to the furthest equals the
     * segment one period earlier, before and after the move. May be negative.
     *
     * @param period in segments
     * @param nearest first unfinished operation
     * @param furthest last operation examined
     */
    int repetitionsAhead(int mark, int period, int nearest, int furthest);
}
