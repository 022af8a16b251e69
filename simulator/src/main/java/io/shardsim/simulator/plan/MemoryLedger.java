package io.shardsim.simulator.plan;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who holds GPU memory when most of it is held, on one rank in one training step.
 *
 * <p>It walks a plan's memory changes in issue order, as a caching allocator sees them.
 *
 * <p>Leaves out frees that wait for a slow stream longer than the plan says, and blocks that no longer fit: plans charge the
 * owners {@link MemoryOwner#FRAGMENTATION} and {@link MemoryOwner#RUNTIME} for what the allocator and libraries hold.
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

    /** Reads a plan; of several pipeline stages, the one that reserves most, and what the one that uses most uses. */
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

    /** Reads what one pipeline stage allocates. */
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

    /** Most bytes that some owners hold together at one instant on one pipeline stage. */
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

    /** Most bytes held at one instant. */
    public long peakBytes() {
        return peakBytes;
    }

    /** Most bytes that somebody uses at one instant: without fragmentation. */
    public long usedBytes() {
        return usedBytes;
    }

    /** Bytes of each owner at that instant; owners that hold nothing then are absent or zero. */
    public Map<MemoryOwner, Long> atPeak() {
        return atPeak;
    }
}
