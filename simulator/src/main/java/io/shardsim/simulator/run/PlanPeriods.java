package io.shardsim.simulator.run;

import io.shardsim.simulator.device.RankPlan;
import io.shardsim.simulator.kernel.PeriodicPlan;
import io.shardsim.simulator.strategy.StepPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds where a plan repeats itself by comparing its segments operation by operation, waits taken relative to the operation that waits.
 */
final class PlanPeriods implements PeriodicPlan {
    private final RankPlan plan;
    private final List<StepPlan.Mark> marks;
    /** For each mark, its index among the marks of its level. */
    private final int[] indexInLevel;
    /** By level: the operation at each mark, then the size of the plan. */
    private final List<int[]> boundaries = new ArrayList<>();
    /** By level and segment: first and last segment of the run of equal segments around it. */
    private final List<int[]> runFirst = new ArrayList<>();

    private final List<int[]> runLast = new ArrayList<>();

    PlanPeriods(RankPlan plan) {
        this.plan = plan;
        marks = plan.plan().marks();
        indexInLevel = new int[marks.size()];
        int levels = marks.stream().mapToInt(StepPlan.Mark::level).max().orElse(-1) + 1;
        for (int level = 0; level < levels; level++) {
            addLevel(level);
        }
    }

    private void addLevel(int level) {
        int[] starts = new int[marks.size() + 1];
        int count = 0;
        for (int mark = 0; mark < marks.size(); mark++) {
            if (marks.get(mark).level() == level) {
                indexInLevel[mark] = count;
                starts[count++] = marks.get(mark).beforeOperation();
            }
        }
        starts[count] = plan.plan().size();
        int[] bounds = Arrays.copyOf(starts, count + 1);
        boundaries.add(bounds);
        int[] first = new int[count];
        int[] last = new int[count];
        for (int segment = 0; segment < count; segment++) {
            first[segment] = segment > 0 && sameSegments(bounds, segment - 1, segment) ? first[segment - 1] : segment;
        }
        for (int segment = count - 1; segment >= 0; segment--) {
            last[segment] = segment + 1 < count && first[segment + 1] == first[segment] ? last[segment + 1] : segment;
        }
        runFirst.add(first);
        runLast.add(last);
    }

    private boolean sameSegments(int[] bounds, int a, int b) {
        int length = bounds[a + 1] - bounds[a];
        if (bounds[b + 1] - bounds[b] != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (!plan.sameShape(bounds[a] + i, bounds[b] + i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int level(int mark) {
        return marks.get(mark).level();
    }

    @Override
    public int operationBefore(int mark) {
        return marks.get(mark).beforeOperation();
    }

    @Override
    public int[] positionsBefore(int mark) {
        return plan.positionsBeforeMark(mark);
    }

    @Override
    public int marksBetween(int earlier, int later) {
        return indexInLevel[later] - indexInLevel[earlier];
    }

    @Override
    public int repetitionsAhead(int mark, int furthest) {
        int segment = indexInLevel[mark];
        return runLast.get(level(mark))[segment] - Math.max(segment, segmentOf(level(mark), furthest));
    }

    @Override
    public int repeatedSince(int mark, int nearest) {
        int segment = indexInLevel[mark];
        return Math.min(segment, segmentOf(level(mark), nearest)) - runFirst.get(level(mark))[segment];
    }

    /** The segment that holds an operation; -1 before the first mark. */
    private int segmentOf(int level, int operation) {
        int found = Arrays.binarySearch(boundaries.get(level), operation);
        int segment = found >= 0 ? found : -found - 2;
        return Math.min(segment, boundaries.get(level).length - 2);
    }
}
