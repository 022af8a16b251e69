package io.shardsim.simulator.observation;

import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Memory of rank 0 by owner over a training step, in columns of equal length. Each column shows its instant of highest use, so the highest column is
 * the memory ledger's peak.
 *
 * <p>An allocation happens when the host issues it. It is shown at the start of the next compute operation, since the plan limits how far the host
 * runs ahead of the GPU.
 *
 * @param columnPs length of a column [ps]
 * @param bytes bytes in each column, by owner that ever holds memory [bytes]
 */
public record MemoryOverTime(long columnPs, Map<MemoryOwner, List<Long>> bytes) {
    /** Number of columns, more than a chart has room for. */
    static final int COLUMNS = 180;

    private static final MemoryOwner[] OWNERS = MemoryOwner.values();

    public MemoryOverTime {
        bytes = Collections.unmodifiableMap(new EnumMap<>(bytes));
    }

    /**
     * Maps a plan's memory changes to the timeline of a run.
     *
     * @param timeline operations of rank 0
     * @param alwaysBytes permanent memory of libraries beyond the plan, charged to {@link MemoryOwner#RUNTIME} [bytes]
     */
    public static MemoryOverTime of(StepPlan plan, List<OperationSpan> timeline, long endPs, long alwaysBytes) {
        Columns columns = new Columns(Math.max(1, (endPs + COLUMNS - 1) / COLUMNS), alwaysBytes);
        long[] instants = computeStarts(plan, timeline, endPs);
        for (StepPlan.MemoryChange change : plan.memoryChanges()) {
            if (change.stage() == StepPlan.EVERY_STAGE || change.stage() == 0) {
                int before = change.beforeOperation();
                columns.change(before == 0 ? 0 : instants[before], change.owner(), change.bytes());
            }
        }
        return columns.close();
    }

    /** Returns when the next compute operation of rank 0 starts, for each operation and for the end of the plan [ps]. */
    private static long[] computeStarts(StepPlan plan, List<OperationSpan> timeline, long endPs) {
        long[] starts = new long[plan.size() + 1];
        Arrays.fill(starts, -1);
        for (OperationSpan span : timeline) {
            if (span.stream() == Stream.COMPUTE) {
                starts[span.operation()] = span.startPs();
            }
        }
        starts[plan.size()] = endPs;
        for (int i = plan.size() - 1; i >= 0; i--) {
            if (starts[i] < 0) {
                starts[i] = starts[i + 1];
            }
        }
        return starts;
    }

    /** Columns: 0 to COLUMNS - 1. */
    private static final class Columns {
        private final long columnPs;
        private final long[][] highest = new long[COLUMNS][];
        private final long[] held = new long[OWNERS.length];
        private long total;
        private long highestTotal;
        private int column;

        Columns(long columnPs, long alwaysBytes) {
            this.columnPs = columnPs;
            held[MemoryOwner.RUNTIME.ordinal()] = alwaysBytes;
            total = alwaysBytes;
            begin(0);
        }

        private void begin(int next) {
            column = next;
            highest[column] = held.clone();
            highestTotal = total;
        }

        void change(long ps, MemoryOwner owner, long bytes) {
            goTo((int) Math.min(COLUMNS - 1, ps / columnPs));
            held[owner.ordinal()] += bytes;
            total += bytes;
            if (total > highestTotal) {
                highest[column] = held.clone();
                highestTotal = total;
            }
        }

        private void goTo(int sought) {
            while (column < sought) {
                begin(column + 1);
            }
        }

        MemoryOverTime close() {
            goTo(COLUMNS - 1);
            Map<MemoryOwner, List<Long>> bytes = new EnumMap<>(MemoryOwner.class);
            for (MemoryOwner owner : OWNERS) {
                List<Long> own = new ArrayList<>(COLUMNS);
                for (long[] column : highest) {
                    own.add(column[owner.ordinal()]);
                }
                if (Collections.max(own) > 0) {
                    bytes.put(owner, List.copyOf(own));
                }
            }
            return new MemoryOverTime(columnPs, bytes);
        }
    }

    public int columns() {
        return COLUMNS;
    }

    /** Returns the memory of an owner in a column [bytes]. */
    public long of(MemoryOwner owner, int column) {
        List<Long> own = bytes.get(owner);
        return own == null ? 0 : own.get(column);
    }

    /** Returns the memory of all owners in a column [bytes]. */
    public long total(int column) {
        long sum = 0;
        for (List<Long> own : bytes.values()) {
            sum += own.get(column);
        }
        return sum;
    }

    /** Returns the first column with the highest total. */
    public int peakColumn() {
        int peak = 0;
        for (int column = 1; column < COLUMNS; column++) {
            if (total(column) > total(peak)) {
                peak = column;
            }
        }
        return peak;
    }
}
