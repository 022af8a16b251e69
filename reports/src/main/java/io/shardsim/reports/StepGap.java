package io.shardsim.reports;

import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The gap between two runs, split into differences of the parts of their steps. The parts sum to the gap, to the picosecond; if the global batches
 * differ, the other run's times are scaled to as many samples.
 *
 * @param gapPs time per training step that the faster run saves [ps]
 * @param waitingPs waiting time saved, by the stream waited for; negative if it waits longer [ps]
 * @param workPs compute time saved [ps]
 * @param interferencePs slowdown by overlapping work saved [ps]
 * @param idlePs idle time saved [ps]
 */
public record StepGap(
        long gapPs, Map<Stream, Long> waitingPs, Map<WorkPart, Long> workPs, long interferencePs, long idlePs) {

    /** Parts of the work, by why they differ. */
    public enum WorkPart {
        /** Forward and backward, which depend on the framework's kernels and the micro-batch. */
        KERNELS,
        /** Recomputed forward. */
        RECOMPUTATION,
        /** Optimizer, casts and copies, which depend on the strategy. */
        OTHER_WORK
    }

    public StepGap {
        waitingPs = Collections.unmodifiableMap(waitingPs);
        workPs = Collections.unmodifiableMap(workPs);
        long sum = sum(waitingPs) + sum(workPs) + interferencePs + idlePs;
        if (sum != gapPs) {
            throw new IllegalStateException("a gap of " + gapPs + " ps is not the sum " + sum + " ps of waiting "
                    + waitingPs + ", work " + workPs + ", interference " + interferencePs + " and idle " + idlePs);
        }
    }

    /** Returns the gap between a faster and a slower run. */
    static StepGap between(RunResult fast, RunResult slow) {
        StepBreakdown less = fast.step().breakdown();
        StepBreakdown more = slow.step().breakdown();
        long batch = fast.facts().model().globalBatch();
        long own = slow.facts().model().globalBatch();
        Map<Stream, Long> waiting = new EnumMap<>(Stream.class);
        for (Stream stream : Stream.values()) {
            long ps = more.exposedPs().getOrDefault(stream, 0L);
            put(
                    waiting,
                    stream,
                    StepParts.scaled(ps, batch, own) - less.exposedPs().getOrDefault(stream, 0L));
        }
        Map<WorkPart, Long> work = new EnumMap<>(WorkPart.class);
        for (WorkPart part : WorkPart.values()) {
            put(work, part, StepParts.scaled(workPs(more, part), batch, own) - workPs(less, part));
        }
        long interference = StepParts.scaled(more.slowdownPs(), batch, own) - less.slowdownPs();
        long idle = StepParts.scaled(more.idlePs(), batch, own) - less.idlePs();
        return new StepGap(sum(waiting) + sum(work) + interference + idle, waiting, work, interference, idle);
    }

    /** Returns the gap with opposite signs, from the slower run's view. */
    StepGap reversed() {
        Map<Stream, Long> waiting = new EnumMap<>(Stream.class);
        waitingPs.forEach((stream, ps) -> waiting.put(stream, -ps));
        Map<WorkPart, Long> work = new EnumMap<>(WorkPart.class);
        workPs.forEach((part, ps) -> work.put(part, -ps));
        return new StepGap(-gapPs, waiting, work, -interferencePs, -idlePs);
    }

    private static <K> void put(Map<K, Long> parts, K part, long ps) {
        if (ps != 0) {
            parts.put(part, ps);
        }
    }

    private static long workPs(StepBreakdown step, WorkPart part) {
        return step.workPs().entrySet().stream()
                .filter(entry -> partOf(entry.getKey()) == part)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static WorkPart partOf(Work.Kind kind) {
        return switch (kind) {
            case EMBEDDING_FORWARD, EMBEDDING_BACKWARD, LAYER_FORWARD, LAYER_BACKWARD, HEAD_FORWARD, HEAD_BACKWARD ->
                WorkPart.KERNELS;
            case LAYER_RECOMPUTE -> WorkPart.RECOMPUTATION;
            case GRADIENT_NORM, OPTIMIZER_STEP, ORTHOGONALIZATION, MEMORY_COPY, HOST_STORE, HOST_LOAD, HOST_TIME ->
                WorkPart.OTHER_WORK;
        };
    }

    /** Returns every non-zero part by its name in documents; they sum to {@link #gapPs} [ps]. */
    public Map<String, Long> parts() {
        Map<String, Long> parts = new LinkedHashMap<>();
        waitingPs.forEach((stream, ps) -> parts.put("waiting_" + Names.id(stream), ps));
        workPs.forEach((part, ps) -> parts.put(Names.id(part), ps));
        put(parts, "interference", interferencePs);
        put(parts, "idle", idlePs);
        return parts;
    }

    private static long sum(Map<?, Long> parts) {
        return parts.values().stream().mapToLong(Long::longValue).sum();
    }
}
