package io.shardsim.simulator.strategy;

import java.util.Arrays;
import java.util.List;

/**
 * DeepSpeed's decisions on which parameter tensors to gather, prefetch and release at each module [1].
 *
 * <ul>
 *   <li>Before a module: its missing tensors are gathered together. Then later tensors of the trace are prefetched together, until the bucket is full
 *       or too many elements are live; a tensor is never split, so the last one may exceed both limits.
 *   <li>After a module: its tensors are released, unless they persist, were skipped by a prefetch because a later module needs them, or are needed
 *       again within the reuse distance.
 * </ul>
 *
 * <p>Replays a complete trace, with tensors in GPU or host memory; leaves out recording it, and tensors on disk.
 *
 * <p>[1] deepspeed/runtime/zero/partitioned_param_coordinator.py, v0.7.2: fetch_sub_module, release_sub_module, __params_to_release.
 */
final class ParameterCoordinator {
    private static final int[] NOTHING = {};
    private static final int NEVER = Integer.MIN_VALUE;

    private final ModuleTrace trace;
    private final boolean[] persistent;
    private final long prefetchBucket;
    private final long maxLive;
    private final long maxReuseDistance;
    private final int[] queueTensor;
    private final int[] queueStep;

    private final boolean[] available;
    private final int[] mostRecentStepFetchedFor;
    /** Scratch list of prefetched tensors: a tensor is prefetched at most once per module. */
    private final int[] prefetched;

    private int queueHead;
    private long live;

    /**
     * @param persistenceThreshold tensors smaller than this are never released [elements]
     * @param prefetchBucket elements to prefetch per module
     * @param maxLive elements beyond which nothing is prefetched
     * @param maxReuseDistance distance, in elements of later modules, within which a tensor that is needed again is kept
     */
    ParameterCoordinator(
            ModuleTrace trace, long persistenceThreshold, long prefetchBucket, long maxLive, long maxReuseDistance) {
        this.trace = trace;
        this.prefetchBucket = prefetchBucket;
        this.maxLive = maxLive;
        this.maxReuseDistance = maxReuseDistance;
        this.persistent = new boolean[trace.tensors()];
        for (int tensor = 0; tensor < persistent.length; tensor++) {
            persistent[tensor] = trace.elements(tensor) < persistenceThreshold;
        }
        List<ModuleTrace.Visit> visits = trace.visits();
        int length = visits.stream().mapToInt(visit -> visit.tensors().length).sum();
        this.queueTensor = new int[length];
        this.queueStep = new int[length];
        int next = 0;
        for (int step = 0; step < visits.size(); step++) {
            for (int tensor : visits.get(step).tensors()) {
                queueTensor[next] = tensor;
                queueStep[next] = step;
                next++;
            }
        }
        this.available = new boolean[trace.tensors()];
        this.mostRecentStepFetchedFor = new int[trace.tensors()];
        this.prefetched = new int[trace.tensors()];
        reset();
    }

    /** Starts a micro-batch: only persistent tensors are gathered. */
    void reset() {
        System.arraycopy(persistent, 0, available, 0, persistent.length);
        Arrays.fill(mostRecentStepFetchedFor, NEVER);
        queueHead = 0;
        live = 0;
    }

    boolean isPersistent(int tensor) {
        return persistent[tensor];
    }

    /** Returns the tensors to gather before a module because it needs them now. */
    int[] fetch(int step) {
        int[] needed = trace.visits().get(step).tensors();
        int[] missing = new int[needed.length];
        int count = 0;
        for (int tensor : needed) {
            if (!available[tensor]) {
                gather(tensor);
                missing[count++] = tensor;
            }
        }
        for (int tensor : needed) {
            if (mostRecentStepFetchedFor[tensor] < step) {
                mostRecentStepFetchedFor[queueTensor[queueHead]] = queueStep[queueHead];
                queueHead++;
            }
        }
        return Arrays.copyOf(missing, count);
    }

    /** Returns the tensors to gather after {@link #fetch} because later modules will need them. */
    int[] prefetch() {
        if (prefetchBucket == 0) {
            return NOTHING;
        }
        long most = Math.min(maxLive - live, prefetchBucket);
        int count = 0;
        long elements = 0;
        while (queueHead < queueTensor.length && elements < most) {
            int tensor = queueTensor[queueHead];
            mostRecentStepFetchedFor[tensor] = Math.max(mostRecentStepFetchedFor[tensor], queueStep[queueHead]);
            queueHead++;
            if (!available[tensor]) {
                gather(tensor);
                elements += trace.elements(tensor);
                prefetched[count++] = tensor;
            }
        }
        return count == 0 ? NOTHING : Arrays.copyOf(prefetched, count);
    }

    private void gather(int tensor) {
        available[tensor] = true;
        live += trace.elements(tensor);
    }

    /** Returns the tensors to release after a module. */
    int[] release(int step) {
        int[] visited = trace.visits().get(step).tensors();
        int[] released = new int[visited.length];
        int count = 0;
        for (int tensor : visited) {
            if (!persistent[tensor] && mostRecentStepFetchedFor[tensor] <= step + 1 && !recursSoon(tensor, step + 1)) {
                available[tensor] = false;
                live -= trace.elements(tensor);
                released[count++] = tensor;
            }
        }
        return Arrays.copyOf(released, count);
    }

    private boolean recursSoon(int tensor, int from) {
        List<ModuleTrace.Visit> visits = trace.visits();
        long traversed = 0;
        for (int step = from; step < visits.size() && traversed < maxReuseDistance; step++) {
            for (int other : visits.get(step).tensors()) {
                if (other == tensor) {
                    return true;
                }
                traversed += trace.elements(other);
            }
        }
        return false;
    }
}
