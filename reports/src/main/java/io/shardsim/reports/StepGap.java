package io.shardsim.reports;

import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.math.BigInteger;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The time by which one run is faster than another, split into what the parts of their steps differ by. The parts sum to the gap, to the
 * picosecond, as those of a step sum to the step; where one run has another global batch, the other's times are those of as many samples.
 *
 * @param gapPs what the faster run saves in a training step [ps]
 * @param waitingPs what it waits less, by the stream waited for; negative where it waits longer [ps]
 * @param workPs what it computes less [ps]
 * @param interferencePs by how much less its kernels are slowed down by what overlaps with them [ps]
 * @param idlePs what it is idle less [ps]
 */
public record StepGap(
        long gapPs, Map<Stream, Long> waitingPs, Map<WorkPart, Long> workPs, long interferencePs, long idlePs) {

    /** Parts of the work that differ for different reasons. */
    public enum WorkPart {
        /** Forward and backward: what the framework's kernels and the micro-batch make of the model. */
        KERNELS,
        /** Forward that runs again, where one run checkpoints otherwise than the other. */
        RECOMPUTATION,
        /** Optimizer, casts and copies: what the strategy adds. */
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

    /** What the first run saves against the second. */
    static StepGap between(RunResult fast, RunResult slow) {
        StepBreakdown less = fast.step().breakdown();
        StepBreakdown more = ofBatch(
                slow.step().breakdown(),
                fast.facts().model().globalBatch(),
                slow.facts().model().globalBatch());
        Map<Stream, Long> waiting = new EnumMap<>(Stream.class);
        for (Stream stream : Stream.values()) {
            put(
                    waiting,
                    stream,
                    more.exposedPs().getOrDefault(stream, 0L) - less.exposedPs().getOrDefault(stream, 0L));
        }
        boolean alike =
                fast.facts().model().recomputation().equals(slow.facts().model().recomputation());
        Map<WorkPart, Long> work = new EnumMap<>(WorkPart.class);
        for (WorkPart part : WorkPart.values()) {
            put(work, part, workPs(more, part, alike) - workPs(less, part, alike));
        }
        return new StepGap(
                more.stepPs() - less.stepPs(),
                waiting,
                work,
                more.slowdownPs() - less.slowdownPs(),
                more.idlePs() - less.idlePs());
    }

    /** The same gap as the slower run has it. */
    StepGap reversed() {
        Map<Stream, Long> waiting = new EnumMap<>(Stream.class);
        waitingPs.forEach((stream, ps) -> waiting.put(stream, -ps));
        Map<WorkPart, Long> work = new EnumMap<>(WorkPart.class);
        workPs.forEach((part, ps) -> work.put(part, -ps));
        return new StepGap(-gapPs, waiting, work, -interferencePs, -idlePs);
    }

    /** The step as it would be with another batch, each part in proportion. */
    private static StepBreakdown ofBatch(StepBreakdown step, long batch, long own) {
        if (batch == own) {
            return step;
        }
        Map<Work.Kind, Long> work = new EnumMap<>(Work.Kind.class);
        step.workPs().forEach((kind, ps) -> work.put(kind, scaled(ps, batch, own)));
        Map<Stream, Long> exposed = new EnumMap<>(Stream.class);
        step.exposedPs().forEach((stream, ps) -> exposed.put(stream, scaled(ps, batch, own)));
        long slowdown = scaled(step.slowdownPs(), batch, own);
        long idle = scaled(step.idlePs(), batch, own);
        return new StepBreakdown(sum(work) + sum(exposed) + slowdown + idle, work, slowdown, exposed, idle);
    }

    private static long scaled(long ps, long batch, long own) {
        return BigInteger.valueOf(ps)
                .multiply(BigInteger.valueOf(batch))
                .divide(BigInteger.valueOf(own))
                .longValueExact();
    }

    private static <K> void put(Map<K, Long> parts, K part, long ps) {
        if (ps != 0) {
            parts.put(part, ps);
        }
    }

    /** Where both runs checkpoint alike, what runs again differs by its kernels. */
    private static long workPs(StepBreakdown step, WorkPart part, boolean alike) {
        return step.workPs().entrySet().stream()
                .filter(entry -> partOf(entry.getKey(), alike) == part)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static WorkPart partOf(Work.Kind kind, boolean alike) {
        return switch (kind) {
            case EMBEDDING_FORWARD, EMBEDDING_BACKWARD, LAYER_FORWARD, LAYER_BACKWARD, HEAD_FORWARD, HEAD_BACKWARD ->
                WorkPart.KERNELS;
            case LAYER_RECOMPUTE -> alike ? WorkPart.KERNELS : WorkPart.RECOMPUTATION;
            case GRADIENT_NORM, OPTIMIZER_STEP, MEMORY_COPY, HOST_STORE, HOST_LOAD, HOST_TIME -> WorkPart.OTHER_WORK;
        };
    }

    /** Why two runs differ. */
    public enum Cause {
        /** How states are sharded: what compute waits for, interference, and what the strategy computes itself. */
        SHARDING,
        /** What the GPUs compute, and how fast: the framework's kernels, the micro-batch, recomputation. */
        KERNELS,
        /** What compute waits for, and interference, where both shard alike. */
        NETWORK,
        /** What compute waits for that stays in the node: host copies and the process that issues kernels. */
        HOST
    }

    /**
     * The gap by its causes, those of no time left out; they sum to it [ps].
     *
     * @param sharding whether the two runs shard in different ways
     */
    public Map<Cause, Long> byCause(boolean sharding) {
        Map<Cause, Long> causes = new EnumMap<>(Cause.class);
        waitingPs.forEach((stream, ps) ->
                add(causes, sharding ? Cause.SHARDING : ofHost(stream) ? Cause.HOST : Cause.NETWORK, ps));
        workPs.forEach((part, ps) ->
                add(causes, sharding && part == WorkPart.OTHER_WORK ? Cause.SHARDING : Cause.KERNELS, ps));
        add(causes, sharding ? Cause.SHARDING : Cause.NETWORK, interferencePs + idlePs);
        causes.values().removeIf(ps -> ps == 0);
        if (sum(causes) != gapPs) {
            throw new IllegalStateException("a gap of " + gapPs + " ps is not the sum of its causes " + causes);
        }
        return Collections.unmodifiableMap(causes);
    }

    private static boolean ofHost(Stream stream) {
        return StreamLook.of(stream).mark() == StreamLook.Mark.NOTHING;
    }

    private static void add(Map<Cause, Long> causes, Cause cause, long ps) {
        causes.merge(cause, ps, Long::sum);
    }

    long kernelsPs() {
        return workPs.getOrDefault(WorkPart.KERNELS, 0L);
    }

    long allWaitingPs() {
        return sum(waitingPs);
    }

    /** Every part that is not zero, by a name for documents; they sum to {@link #gapPs} [ps]. */
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
