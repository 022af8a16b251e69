package io.shardsim.reports;

import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The training step of a run in the few parts by which runs are compared, in whole picoseconds. They sum to the step, so the differences of two runs sum to
 * the gap between them, as {@link StepGap} has it.
 */
public final class StepParts {
    /** A part and how much of a step it is. */
    private record Part(String name, ToLongFunction<StepBreakdown> ps) {}

    private static final List<Part> PARTS = parts();

    private StepParts() {}

    private static List<Part> parts() {
        List<Part> parts = new ArrayList<>(List.of(
                work(
                        "kernels",
                        Work.Kind.EMBEDDING_FORWARD,
                        Work.Kind.EMBEDDING_BACKWARD,
                        Work.Kind.LAYER_FORWARD,
                        Work.Kind.LAYER_BACKWARD,
                        Work.Kind.HEAD_FORWARD,
                        Work.Kind.HEAD_BACKWARD),
                work("recomputation", Work.Kind.LAYER_RECOMPUTE),
                work(
                        "optimizer and copies",
                        Work.Kind.GRADIENT_NORM,
                        Work.Kind.OPTIMIZER_STEP,
                        Work.Kind.MEMORY_COPY,
                        Work.Kind.HOST_STORE,
                        Work.Kind.HOST_LOAD,
                        Work.Kind.HOST_TIME),
                new Part("interference", StepBreakdown::slowdownPs)));
        for (StreamLook look : StreamLook.all()) {
            if (look.isWaitedFor()) {
                parts.add(new Part(look.waiting(), step -> exposed(step, look.stream())));
            }
        }
        parts.add(new Part("idle", StepBreakdown::idlePs));
        return List.copyOf(parts);
    }

    private static Part work(String name, Work.Kind... kinds) {
        return new Part(name, step -> {
            long ps = 0;
            for (Work.Kind kind : kinds) {
                ps += step.workPs().getOrDefault(kind, 0L);
            }
            return ps;
        });
    }

    private static long exposed(StepBreakdown step, Stream stream) {
        return step.exposedPs().getOrDefault(stream, 0L);
    }

    /** Names of all parts, in their order. */
    public static List<String> names() {
        return PARTS.stream().map(Part::name).toList();
    }

    /**
     * The parts of a run's step that took time, by name [ps].
     *
     * @param samples where the run's global batch is another, each part is that of as many samples
     */
    public static Map<String, Long> of(RunResult run, long samples) {
        return of(run.step().breakdown(), samples, run.facts().model().globalBatch());
    }

    /**
     * The parts of a step that took time, by name [ps].
     *
     * @param amount what the parts are told for, for example tokens
     * @param own as much of it as the step has; where that differs, each part is in proportion
     */
    public static Map<String, Long> of(StepBreakdown step, long amount, long own) {
        Map<String, Long> whole = new LinkedHashMap<>();
        Map<String, Long> parts = new LinkedHashMap<>();
        for (Part part : PARTS) {
            long ps = part.ps().applyAsLong(step);
            if (ps != 0) {
                whole.put(part.name(), ps);
                parts.put(part.name(), scaled(ps, amount, own));
            }
        }
        if (sum(whole) != step.stepPs()) {
            throw new IllegalStateException(
                    "parts " + whole + " sum to " + sum(whole) + " ps of a step of " + step.stepPs() + " ps");
        }
        return parts;
    }

    static long scaled(long ps, long samples, long batch) {
        return samples == batch
                ? ps
                : BigInteger.valueOf(ps)
                        .multiply(BigInteger.valueOf(samples))
                        .divide(BigInteger.valueOf(batch))
                        .longValueExact();
    }

    /** The time that parts sum to [ps]. */
    public static long sum(Map<String, Long> parts) {
        return parts.values().stream().mapToLong(Long::longValue).sum();
    }
}
