package io.shardsim.simulator.strategy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One training step as every rank runs it: operations in issue order, what each waits for, and what the allocator does meanwhile.
 *
 * <p>An operation starts when the one before it on its stream and all operations it waits for are done on the same rank; a collective moves
 * data only between ranks that have started it. Memory changes take place in issue order, as a caching allocator's do.
 *
 * <p>Marks name the places where the plan may repeat itself: a mark of level 0 before each layer's operations, of level 1 before each
 * micro-batch. They are hints: what repeats is proven, not believed.
 */
public final class StepPlan {
    /** A change of allocated memory that takes effect before operation {@code beforeOperation} is issued. */
    public record MemoryChange(int beforeOperation, MemoryOwner owner, long bytes) {}

    /** A place where the plan may begin to repeat. */
    public record Mark(int beforeOperation, int level) {}

    private final Operation[] operations;
    private final int[][] waitsFor;
    private final List<MemoryChange> memoryChanges;
    private final List<Mark> marks;

    private StepPlan(Builder builder) {
        operations = builder.operations.toArray(Operation[]::new);
        waitsFor = builder.waitsFor.toArray(int[][]::new);
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

    /** Indices of the operations that an operation waits for, beside its predecessor on the stream; not to be modified. */
    public int[] waitsFor(int index) {
        return waitsFor[index];
    }

    public List<MemoryChange> memoryChanges() {
        return memoryChanges;
    }

    public List<Mark> marks() {
        return marks;
    }

    /** Collects operations in issue order. */
    public static final class Builder {
        private static final int[] NOTHING = {};

        private final List<Operation> operations = new ArrayList<>();
        private final List<int[]> waitsFor = new ArrayList<>();
        private final List<MemoryChange> memoryChanges = new ArrayList<>();
        private final List<Mark> marks = new ArrayList<>();

        /**
         * Adds an operation and returns its index.
         *
         * @param waits indices of earlier operations that must be done first; negative ones are ignored
         */
        public int add(Operation operation, int... waits) {
            int index = operations.size();
            int[] kept = waits.length == 0
                    ? NOTHING
                    : Arrays.stream(waits)
                            .filter(wait -> wait >= 0)
                            .sorted()
                            .distinct()
                            .toArray();
            if (kept.length > 0 && kept[kept.length - 1] >= index) {
                throw new IllegalArgumentException(operation.label() + ": operation " + index + " waits for "
                        + kept[kept.length - 1] + ", which is not earlier");
            }
            operations.add(operation);
            waitsFor.add(kept.length == 0 ? NOTHING : kept);
            return index;
        }

        /** Allocates (positive) or frees (negative) memory before the next operation. */
        public Builder memory(MemoryOwner owner, long bytes) {
            if (bytes != 0) {
                memoryChanges.add(new MemoryChange(operations.size(), owner, bytes));
            }
            return this;
        }

        /** Marks a place where the plan may begin to repeat; level 0 layer, 1 micro-batch. */
        public Builder mark(int level) {
            marks.add(new Mark(operations.size(), level));
            return this;
        }

        public int size() {
            return operations.size();
        }

        public StepPlan build() {
            return new StepPlan(this);
        }
    }
}
