package io.shardsim.simulator.plan;

import io.shardsim.simulator.TooLargeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One training step of every rank: operations in issue order, their waits, and memory changes.
 *
 * <p>With pipeline parallelism an operation belongs to the ranks of one stage, or of two stages that communicate, and the plan holds the operations
 * of all stages in one order. A rank runs its stage's operations and ignores waits for others; data passes between stages by a collective of both.
 * Since waits only refer to earlier operations, no split of a plan into stages can deadlock.
 *
 * <p>An operation starts when the one before it on its stream and all operations it waits for are done on the same rank; a collective moves data only
 * between ranks that have started it. Memory changes take place in issue order, as a caching allocator's do.
 *
 * <p>Marks are the places where the plan may repeat: a mark of level 0 before each layer's operations, of level 1 before each micro-batch. They are
 * hints: repetition is verified.
 */
public final class StepPlan {
    /** Stage of operations that run on all stages. */
    public static final int EVERY_STAGE = -1;

    /**
     * Change of allocated memory that takes effect before operation {@code beforeOperation} is issued.
     *
     * @param stage pipeline stage whose ranks allocate, or {@link #EVERY_STAGE}
     */
    public record MemoryChange(int beforeOperation, MemoryOwner owner, long bytes, int stage) {}

    /** Place where the plan may begin to repeat. */
    public record Mark(int beforeOperation, int level) {}

    private final Operation[] operations;
    private final int[][] waitsFor;
    private final int[] stage;
    private final int[] otherStage;
    private final int stages;
    private final List<MemoryChange> memoryChanges;
    private final List<Mark> marks;

    private StepPlan(Builder builder) {
        operations = builder.inOrder(builder.operations).toArray(Operation[]::new);
        waitsFor = builder.inOrder(builder.waitsFor).map(builder::indices).toArray(int[][]::new);
        stage = builder.inOrder(builder.stagesOf).mapToInt(pair -> pair[0]).toArray();
        otherStage = builder.inOrder(builder.stagesOf).mapToInt(pair -> pair[1]).toArray();
        stages = builder.stages;
        memoryChanges = List.copyOf(builder.memoryChanges);
        marks = List.copyOf(builder.marks);
    }

    public static Builder builder() {
        return new Builder();
    }

    public int size() {
        return operations.length;
    }

    public Operation operation(int index) {
        return operations[index];
    }

    /** Returns the indices of the operations that an operation waits for, in addition to its predecessor on the stream; do not modify. */
    public int[] waitsFor(int index) {
        return waitsFor[index];
    }

    /** Returns the number of pipeline stages; the ranks are split into that many equal, consecutive blocks. */
    public int stages() {
        return stages;
    }

    /** Returns whether the ranks of a stage run an operation. */
    public boolean runsOn(int index, int ofStage) {
        return stage[index] == EVERY_STAGE || stage[index] == ofStage || otherStage[index] == ofStage;
    }

    /** Returns whether ranks of several stages run an operation together. */
    public boolean joinsStages(int index) {
        return stages > 1 && (stage[index] == EVERY_STAGE || otherStage[index] != stage[index]);
    }

    /** Returns whether two operations belong to the same stages. */
    public boolean sameStages(int index, int other) {
        return stage[index] == stage[other] && otherStage[index] == otherStage[other];
    }

    public List<MemoryChange> memoryChanges() {
        return memoryChanges;
    }

    public List<Mark> marks() {
        return marks;
    }

    /** Returns whether both have the same operations, waits, stages, memory changes and marks. */
    @Override
    public boolean equals(Object object) {
        return object instanceof StepPlan other
                && stages == other.stages
                && Arrays.equals(operations, other.operations)
                && Arrays.deepEquals(waitsFor, other.waitsFor)
                && Arrays.equals(stage, other.stage)
                && Arrays.equals(otherStage, other.otherStage)
                && memoryChanges.equals(other.memoryChanges)
                && marks.equals(other.marks);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(operations);
    }

    /** Collects operations in issue order. */
    public static final class Builder {
        private static final int[] NOTHING = {};

        private final List<Operation> operations = new ArrayList<>();
        private final List<int[]> waitsFor = new ArrayList<>();
        private final List<int[]> stagesOf = new ArrayList<>();
        private final Map<Integer, int[]> sharedStages = new HashMap<>();
        private final List<MemoryChange> memoryChanges = new ArrayList<>();
        private final List<Mark> marks = new ArrayList<>();
        /** Final indices of operations that do not stay where they were added. */
        private final Map<Integer, Integer> moved = new HashMap<>();

        private long limitBytes = Long.MAX_VALUE;
        private long[] usedBytes = {0};
        private int stages = 1;
        private int stage = EVERY_STAGE;
        private int otherStage = EVERY_STAGE;

        /** Declares pipeline stages; until the next call of {@link #stage}, operations belong to all of them. */
        public Builder stages(int count) {
            stages = count;
            usedBytes = new long[count];
            return this;
        }

        /** Aborts if any stage uses more memory than this, without fragmentation; to be set before any memory change. */
        public Builder within(long bytes) {
            limitBytes = bytes;
            return this;
        }

        /** Sets the pipeline stage of the following operations and memory changes, or {@link #EVERY_STAGE}. */
        public Builder stage(int ofStage) {
            return between(ofStage, ofStage);
        }

        /** Sets two stages that the following operations belong to. */
        public Builder between(int one, int other) {
            stage = one;
            otherStage = other;
            return this;
        }

        /**
         * Adds an operation and returns its index.
         *
         * @param waits indices of earlier operations that must be done first; negative ones are ignored
         * @throws TooLargeException if the machine cannot hold so large a plan
         */
        public int add(Operation operation, int... waits) {
            int index = operations.size();
            PlanSize.grownTo(index);
            int[] kept = distinct(waits);
            if (kept.length > 0 && kept[kept.length - 1] >= index) {
                throw new IllegalArgumentException(operation.label() + ": operation " + index + " waits for "
                        + kept[kept.length - 1] + ", which is not earlier");
            }
            operations.add(operation);
            int one = stage;
            int other = otherStage;
            stagesOf.add(sharedStages.computeIfAbsent((one + 1) * (stages + 1) + other, key -> new int[] {one, other}));
            waitsFor.add(kept.length == 0 ? NOTHING : kept);
            return index;
        }

        /** Returns the distinct waits in ascending order, without negative ones. */
        private static int[] distinct(int[] waits) {
            int[] sorted = waits.clone();
            Arrays.sort(sorted);
            int count = 0;
            for (int wait : sorted) {
                if (wait >= 0 && (count == 0 || sorted[count - 1] != wait)) {
                    sorted[count++] = wait;
                }
            }
            return Arrays.copyOf(sorted, count);
        }

        /**
         * Allocates (positive) or frees (negative) memory before the next operation.
         *
         * @throws BeyondMemoryException if more is in use than the limit
         */
        public Builder memory(MemoryOwner owner, long bytes) {
            if (bytes != 0) {
                use(owner, bytes);
                memoryChanges.add(new MemoryChange(operations.size(), owner, bytes, stage));
            }
            return this;
        }

        /** Allocates memory before the first operation, for the whole step. */
        public Builder memoryThroughout(MemoryOwner owner, long bytes) {
            if (bytes != 0) {
                memoryChanges.add(0, new MemoryChange(0, owner, bytes, stage));
            }
            return this;
        }

        private void use(MemoryOwner owner, long bytes) {
            if (owner == MemoryOwner.FRAGMENTATION) {
                return;
            }
            for (int at = 0; at < stages; at++) {
                if (stage == EVERY_STAGE || stage == at) {
                    usedBytes[at] = Math.addExact(usedBytes[at], bytes);
                    if (usedBytes[at] > limitBytes) {
                        throw new BeyondMemoryException(usedBytes[at], limitBytes);
                    }
                }
            }
        }

        /** Returns the memory changes so far. */
        public List<MemoryChange> memoryChanges() {
            return Collections.unmodifiableList(memoryChanges);
        }

        /** Marks a place where the plan may begin to repeat; level 0 layer, 1 micro-batch. */
        public Builder mark(int level) {
            marks.add(new Mark(operations.size(), level));
            return this;
        }

        private int index(int added) {
            return moved.getOrDefault(added, added);
        }

        private int[] indices(int[] added) {
            return moved.isEmpty()
                    ? added
                    : Arrays.stream(added).map(this::index).sorted().toArray();
        }

        private <T> java.util.stream.Stream<T> inOrder(List<T> added) {
            List<T> ordered = new ArrayList<>(added);
            moved.forEach((from, to) -> ordered.set(to, added.get(from)));
            return ordered.stream();
        }

        /**
         * Merges two runs of operations that do not wait for each other: whenever one waits for its last exchange with experts, the other goes on.
         * Layers are marked as in the second run.
         */
        public void alternate(Runnable first, Runnable second) {
            int start = operations.size();
            int changes = memoryChanges.size();
            int marked = marks.size();
            first.run();
            int middle = operations.size();
            int changed = memoryChanges.size();
            marks.subList(marked, marks.size()).clear();
            second.run();
            place(start, middle);
            for (int i = changes; i < memoryChanges.size(); i++) {
                MemoryChange change = memoryChanges.get(i);
                int before = change.beforeOperation();
                int at = i < changed && before == middle ? index(before - 1) + 1 : index(before);
                memoryChanges.set(i, new MemoryChange(at, change.owner(), change.bytes(), change.stage()));
            }
            memoryChanges
                    .subList(changes, memoryChanges.size())
                    .sort(Comparator.comparingInt(MemoryChange::beforeOperation));
            marks.subList(marked, marks.size())
                    .replaceAll(mark -> new Mark(index(mark.beforeOperation()), mark.level()));
        }

        /** Determines where the operations of two runs go. */
        private void place(int start, int middle) {
            int end = operations.size();
            int[] next = {start, middle};
            int[] ends = {middle, end};
            int began = start;
            int turn = 0;
            for (int index = start; index < end; index++) {
                if (next[turn] == ends[turn] || next[1 - turn] < ends[1 - turn] && waits(next[turn], began)) {
                    turn = 1 - turn;
                    began = next[turn];
                }
                moved.put(next[turn]++, index);
            }
        }

        private boolean waits(int operation, int since) {
            return Arrays.stream(waitsFor.get(operation))
                    .anyMatch(wait ->
                            wait >= since && operations.get(wait).stream().reportedAs() == Stream.EXPERT);
        }

        public StepPlan build() {
            return new StepPlan(this);
        }
    }
}
