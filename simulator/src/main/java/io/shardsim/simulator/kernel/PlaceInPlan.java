package io.shardsim.simulator.kernel;

import java.util.Arrays;

/** Where in the plan the devices of a logical process are: what they have not done, what they have looked at, what they wait for. */
public final class PlaceInPlan {
    private int nearest = Integer.MAX_VALUE;
    private int furthest = -1;
    /** Operations that are next on their stream but must wait, each followed by the latest operation it waits for. */
    private int[] blocked = new int[16];

    private int blockedSize;

    /** An operation that is not done and that nothing before it holds up. */
    public void reached(int operation) {
        nearest = Math.min(nearest, operation);
        furthest = Math.max(furthest, operation);
    }

    /** An operation that is next on its stream but waits for others, the latest of them given. */
    public void waiting(int operation, int latestWait) {
        nearest = Math.min(nearest, operation);
        if (blockedSize + 2 > blocked.length) {
            blocked = Arrays.copyOf(blocked, 2 * blocked.length);
        }
        blocked[blockedSize++] = operation;
        blocked[blockedSize++] = latestWait;
    }

    /** All of another place, as it is after some operations more. */
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
     * How many segments the plan can be moved on from a mark such that all that is reached or waiting reads the same. An operation that waits for
     * something which the move does not reach stays where it is, however far ahead it lies.
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
