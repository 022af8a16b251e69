package io.shardsim.simulator.plan;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * GPU memory by owner at the peak of one rank's training step.
 *
 * <p>It walks a plan's memory changes in issue order, as a caching allocator sees them.
 *
 * <p>Leaves out frees that a slow stream delays beyond the plan, and blocks that no longer fit: plans charge memory of the allocator and libraries to
 * the owners {@link MemoryOwner#FRAGMENTATION} and {@link MemoryOwner#RUNTIME}.
 */
public final class MemoryLedger {
    private final Map<MemoryOwner, Long> atPeak;
    private final long peakBytes;
    private final long usedBytes;

    private MemoryLedger(Map<MemoryOwner, Long> atPeak, long peakBytes, long usedBytes) {
        this.atPeak = Collections.unmodifiableMap(atPeak);
        this.peakBytes = peakBytes;
        this.usedBytes = usedBytes;
    }

    /** Reads a plan; with several pipeline stages, the peak is from the stage that reserves most, and the use from the stage that uses most. */
    public static MemoryLedger of(StepPlan plan) {
        MemoryLedger most = of(plan, 0);
        long usedBytes = most.usedBytes();
        for (int stage = 1; stage < plan.stages(); stage++) {
            MemoryLedger ledger = of(plan, stage);
            usedBytes = Math.max(usedBytes, ledger.usedBytes());
            most = ledger.peakBytes() > most.peakBytes() ? ledger : most;
        }
        return new MemoryLedger(most.atPeak, most.peakBytes, usedBytes);
    }

    /** Reads the allocations of one pipeline stage. */
    public static MemoryLedger of(StepPlan plan, int stage) {
        long[] held = new long[MemoryOwner.values().length];
        long[] atPeak = held.clone();
        boolean[] seen = new boolean[held.length];
        boolean[] seenAtPeak = seen.clone();
        long total = 0;
        long peak = 0;
        for (StepPlan.MemoryChange change : plan.memoryChanges()) {
            if (!isOf(change, stage)) {
                continue;
            }
            int owner = change.owner().ordinal();
            long now = Math.addExact(held[owner], change.bytes());
            held[owner] = now;
            seen[owner] = true;
            if (now < 0) {
                throw new IllegalStateException(
                        change.owner() + " frees " + -change.bytes() + " bytes before operation "
                                + change.beforeOperation() + " but held only " + (now - change.bytes()));
            }
            total = Math.addExact(total, change.bytes());
            if (total > peak) {
                peak = total;
                System.arraycopy(held, 0, atPeak, 0, held.length);
                System.arraycopy(seen, 0, seenAtPeak, 0, seen.length);
            }
        }
        Map<MemoryOwner, Long> byOwner = new EnumMap<>(MemoryOwner.class);
        for (MemoryOwner owner : MemoryOwner.values()) {
            if (seenAtPeak[owner.ordinal()]) {
                byOwner.put(owner, atPeak[owner.ordinal()]);
            }
        }
        return new MemoryLedger(byOwner, peak, peak - atPeak[MemoryOwner.FRAGMENTATION.ordinal()]);
    }

    private static boolean isOf(StepPlan.MemoryChange change, int stage) {
        return change.stage() == StepPlan.EVERY_STAGE || change.stage() == stage;
    }

    /** Returns the peak of some owners' total on one pipeline stage. */
    public static long peakBytes(List<StepPlan.MemoryChange> changes, Set<MemoryOwner> owners, int stage) {
        long held = 0;
        long peak = 0;
        for (int i = 0; i < changes.size(); i++) {
            StepPlan.MemoryChange change = changes.get(i);
            if (isOf(change, stage) && owners.contains(change.owner())) {
                held = Math.addExact(held, change.bytes());
                peak = Math.max(peak, held);
            }
        }
        return peak;
    }

    /** Returns the peak of all memory. */
    public long peakBytes() {
        return peakBytes;
    }

    /** Returns the peak of memory in use, without fragmentation. */
    public long usedBytes() {
        return usedBytes;
    }

    /** Returns the bytes of each owner at that instant; owners without memory then are absent or zero. */
    public Map<MemoryOwner, Long> atPeak() {
        return atPeak;
    }
}
