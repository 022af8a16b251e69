package io.shardsim.simulator.kernel;

import java.util.Arrays;

/** Positions of a logical process's devices in the plan: unfinished, examined and awaited operations. */
public final class PlaceInPlan {
    private int nearest = Integer.MAX_VALUE;
    private int furthest = -1;
    /** Operations that are next on their stream but blocked, each followed by the latest operation it waits for. */
    private int[] blocked = new int[16];

    private int blockedSize;

    /** Adds an unfinished operation that nothing before it blocks. */
    public void reached(int operation) {
        nearest = Math.min(nearest, operation);
        furthest = Math.max(furthest, operation);
    }

    /** Adds an operation that is next on its stream but waits for others, the latest of which is given. */
    public void waiting(int operation, int latestWait) {
        nearest = Math.min(nearest, operation);
        if (blockedSize + 2 > blocked.length) {
            blocked = Arrays.copyOf(blocked, 2 * blocked.length);
        }
        blocked[blockedSize++] = operation;
        blocked[blockedSize++] = latestWait;
    }

    /** Adds all positions of another object, shifted by some operations. */
    void add(PlaceInPlan other, int deltaOperations) {
        if (other.furthest >= 0) {
            reached(other.nearest + deltaOperations);
            furthest = Math.max(furthest, other.furthest + deltaOperations);
        }
        for (int i = 0; i < other.blockedSize; i += 2) {
            waiting(other.blocked[i] + deltaOperations, other.blocked[i + 1] + deltaOperations);
        }
    }

    /**
     * Returns how many segments the plan can advance from a mark such that everything reached or waiting reads the same. An operation that waits for
     * one beyond the move stays in place, however far ahead it is.
     */
    int repetitionsAhead(PeriodicPlan plan, int mark, int period) {
        int repetitions = plan.repetitionsAhead(mark, period, nearest, furthest);
        for (int i = 0; i < blockedSize && repetitions >= period; i += 2) {
            int moved = plan.repetitionsAhead(mark, period, nearest, blocked[i]);
            int held = plan.segmentsBetween(mark, Math.max(furthest, plan.operationBefore(mark)), blocked[i + 1]) - 1;
            repetitions = Math.min(repetitions, Math.max(moved, held));
        }
        return repetitions;
    }
}
