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
    int marksBetween(int earlier, int later);

    /**
     * How many segments the plan can be moved on from a mark such that it reads the same up to an operation that lies ahead of it.
     *
     * @param furthest furthest operation that has been looked at
     */
    int repetitionsAhead(int mark, int furthest);

    /**
     * How many segments back from a mark the plan reads the same, down to an operation that lies behind it.
     *
     * @param nearest least operation that is not done
     */
    int repeatedSince(int mark, int nearest);
}
