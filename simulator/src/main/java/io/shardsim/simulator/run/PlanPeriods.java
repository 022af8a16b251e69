package io.shardsim.simulator.run;

import io.shardsim.simulator.device.RankPlan;
import io.shardsim.simulator.kernel.PeriodicPlan;
import io.shardsim.simulator.plan.StepPlan;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds repetition in a plan by comparing its segments shape by shape, with waits relative to the waiting operation. */
final class PlanPeriods implements PeriodicPlan {
    private final List<RankPlan> stages;
    private final StepPlan plan;
    private final List<StepPlan.Mark> marks;
    /** Index of each mark among the marks of its level. */
    private final int[] indexInLevel;

    private final List<Level> levels = new ArrayList<>();

    /**
     * Segments of one level.
     *
     * @param bounds operation at each mark, then the size of the plan
     * @param classOfSegment number that is equal for equal segments
     */
    private record Level(int[] bounds, int[] classOfSegment) {
        /** Returns the segment of an operation; for operations before the first segment, the first. */
        int segmentOf(int operation) {
            int found = Arrays.binarySearch(bounds, operation);
            int segment = found >= 0 ? found : -found - 2;
            return Math.max(0, Math.min(segment, classOfSegment.length - 1));
        }

        /** Returns the last segment up to which each one, from the given one on, equals the one a period earlier. */
        int lastRepeated(int from, int period) {
            int segment = from;
            while (segment < classOfSegment.length
                    && segment >= period
                    && classOfSegment[segment] == classOfSegment[segment - period]) {
                segment++;
            }
            return segment - 1;
        }
    }

    PlanPeriods(List<RankPlan> stages) {
        this.stages = stages;
        plan = stages.get(0).plan();
        marks = plan.marks();
        indexInLevel = new int[marks.size()];
        int count = marks.stream().mapToInt(StepPlan.Mark::level).max().orElse(-1) + 1;
        int[] shapes = shapes();
        for (int level = 0; level < count; level++) {
            levels.add(read(level, shapes));
        }
    }

    /** Returns for each operation the first one of the same shape on all stages. */
    private int[] shapes() {
        int[] shapes = new int[plan.size()];
        Map<Long, List<Integer>> firstByHash = new HashMap<>();
        for (int operation = 0; operation < shapes.length; operation++) {
            List<Integer> candidates =
                    firstByHash.computeIfAbsent(stages.get(0).shapeHash(operation), key -> new ArrayList<>());
            shapes[operation] = operation;
            for (int candidate : candidates) {
                if (sameShape(candidate, operation)) {
                    shapes[operation] = candidate;
                    break;
                }
            }
            if (shapes[operation] == operation) {
                candidates.add(operation);
            }
        }
        return shapes;
    }

    private boolean sameShape(int a, int b) {
        for (RankPlan stage : stages) {
            if (!stage.sameShape(a, b)) {
                return false;
            }
        }
        return true;
    }

    private Level read(int level, int[] shapes) {
        int[] bounds = new int[marks.size() + 1];
        int count = 0;
        for (int mark = 0; mark < marks.size(); mark++) {
            if (marks.get(mark).level() == level) {
                indexInLevel[mark] = count;
                bounds[count++] = marks.get(mark).beforeOperation();
            }
        }
        bounds[count] = plan.size();
        bounds = Arrays.copyOf(bounds, count + 1);
        return new Level(bounds, classes(bounds, shapes));
    }

    /** Numbers segments; equal segments get equal numbers. */
    private static int[] classes(int[] bounds, int[] shapes) {
        int[] classes = new int[bounds.length - 1];
        Map<IntBuffer, Integer> firstOf = new HashMap<>();
        for (int segment = 0; segment < classes.length; segment++) {
            IntBuffer shapesOfSegment = IntBuffer.wrap(shapes, bounds[segment], bounds[segment + 1] - bounds[segment]);
            Integer first = firstOf.putIfAbsent(shapesOfSegment, segment);
            classes[segment] = first == null ? segment : first;
        }
        return classes;
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
        int[] first = stages.get(0).positionsBeforeMark(mark);
        int[] all = new int[stages.size() * first.length];
        for (int stage = 0; stage < stages.size(); stage++) {
            System.arraycopy(stages.get(stage).positionsBeforeMark(mark), 0, all, stage * first.length, first.length);
        }
        return all;
    }

    @Override
    public int segmentsFrom(int earlier, int later) {
        return indexInLevel[later] - indexInLevel[earlier];
    }

    @Override
    public int repetitionsAhead(int mark, int period, int nearest, int furthest) {
        Level level = levels.get(level(mark));
        int segment = indexInLevel[mark];
        int first = Math.min(segment, level.segmentOf(nearest));
        return level.lastRepeated(first, period) - Math.max(segment, level.segmentOf(furthest));
    }

    @Override
    public int segmentsBetween(int mark, int fromOperation, int toOperation) {
        Level level = levels.get(level(mark));
        return level.segmentOf(toOperation) - level.segmentOf(fromOperation);
    }
}
