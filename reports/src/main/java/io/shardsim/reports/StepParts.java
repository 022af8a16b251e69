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
 * The few parts of a training step by which runs are compared, in whole picoseconds. They sum to the step, so differences of two runs sum to the gap
 * between them, as in {@link StepGap}.
 */
public final class StepParts {
    /** A part and its time in a step. */
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
                        Work.Kind.ORTHOGONALIZATION,
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

    /** Returns names of all parts, in order. */
    public static List<String> names() {
        return PARTS.stream().map(Part::name).toList();
    }

    /**
     * Returns the non-zero parts of a run's step, by name [ps].
     *
     * @param samples number of samples to scale to, if the run's global batch differs
     */
    public static Map<String, Long> of(RunResult run, long samples) {
        return of(run.step().breakdown(), samples, run.facts().model().globalBatch());
    }

    /**
     * Returns the non-zero parts of a step, by name [ps].
     *
     * @param amount amount to scale to, for example tokens
     * @param own the step's own amount; parts are scaled in proportion if it differs
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

    /** Returns the sum of parts [ps]. */
    public static long sum(Map<String, Long> parts) {
        return parts.values().stream().mapToLong(Long::longValue).sum();
    }
}
